import { type APIRequest, expect } from '@playwright/test';
import { App } from './app.js';
import { Mailbox } from './mailbox.js';
import { type Outside, Portico } from './portico.js';
import { IdentityProvider } from './provider.js';
import { RelyingParty } from './relying-party.js';

export interface Person {
  email: string;
  password: string;
}

/** A client for a device without a browser. */
export const TV = `[[client]]
id = "tv"
name = "Living room"
public = true
grants = ["device_code"]
scopes = ["openid", "email"]
`;

/** The surroundings of a worker's journeys: a Portico, its mail server, provider and app. */
export class World {
  readonly portico: Portico;
  readonly mailbox: Mailbox;
  readonly provider: IdentityProvider;
  readonly app: App;
  readonly #request: APIRequest;
  readonly #more: Portico[] = [];
  #plain: Promise<Portico> | undefined;
  #terms: Promise<Portico> | undefined;
  #timeless: Promise<Portico> | undefined;
  #apps: Promise<{ portico: Portico; notes: RelyingParty }> | undefined;
  readonly #requiring = new Map<string, Promise<Portico>>();
  #people = 0;

  private constructor(parts: Pick<World, 'portico' | 'mailbox' | 'provider' | 'app'>, request: APIRequest) {
    this.portico = parts.portico;
    this.mailbox = parts.mailbox;
    this.provider = parts.provider;
    this.app = parts.app;
    this.#request = request;
  }

  static async start(request: APIRequest): Promise<World> {
    const [mailbox, provider, app] = await Promise.all([
      Mailbox.start(),
      IdentityProvider.start(),
      App.start(),
    ]);
    const portico = await Portico.start({ smtp: mailbox.port, issuer: provider.issuer, app: app.origin });
    provider.serve(portico.origin);
    return new World({ portico, mailbox, provider, app }, request);
  }

  /** One more Portico with other surroundings. It stops with the worker. */
  async anotherPortico(outside: Partial<Outside> = {}): Promise<Portico> {
    const portico = await Portico.start({ smtp: this.mailbox.port, ...outside });
    this.#more.push(portico);
    return portico;
  }

  /** A Portico without identity providers. */
  plain(): Promise<Portico> {
    this.#plain ??= this.anotherPortico();
    return this.#plain;
  }

  /** A Portico whose users accept terms of use. */
  terms(): Promise<Portico> {
    this.#terms ??= this.anotherPortico({ issuer: this.provider.issuer, terms: '2026-01' }).then(
      (portico) => {
        this.provider.serve(portico.origin);
        return portico;
      },
    );
    return this.#terms;
  }

  /** A Portico to which the identity provider never tells when its user signed in. */
  timeless(): Promise<Portico> {
    const { issuer } = this.provider;
    this.#timeless ??= this.anotherPortico({ issuer, preset: 'forgejo' }).then((portico) => {
      this.provider.serve(portico.origin);
      return portico;
    });
    return this.#timeless;
  }

  /** A Portico whose users all need a second factor, which they may put off for a while. */
  requiring(grace: string): Promise<Portico> {
    const known = this.#requiring.get(grace);
    const portico =
      known ?? this.anotherPortico({ settings: `[mfa]\nrequire = ["all"]\ngrace = "${grace}"\n` });
    this.#requiring.set(grace, portico);
    return portico;
  }

  /** A Portico with an app and a device that sign in by OpenID Connect, and with the sign-in by email. */
  apps(): Promise<{ portico: Portico; notes: RelyingParty }> {
    this.#apps ??= RelyingParty.start().then(async (notes) => {
      const portico = await this.anotherPortico({
        settings: `[signin]\ncode = true\n${notes.settings}${TV}`,
      });
      await notes.serve(portico.origin);
      return { portico, notes };
    });
    return this.#apps;
  }

  /** A user with an account at `terms()` that the operator has made, and that has accepted nothing. */
  async newcomer(): Promise<Person> {
    const person = this.stranger();
    (await this.terms()).command(['user', 'create', person.email, '--password'], `${person.password}\n`);
    return person;
  }

  /** A person without an account. */
  stranger(name = 'mara'): Person {
    this.#people += 1;
    return {
      email: `${name}${this.#people}@people.test`,
      password: `violet harbour ${this.#people} lantern`,
    };
  }

  /** A user with an account, created through the API as an app's own test would. */
  async member(name?: string): Promise<Person> {
    const person = this.stranger(name);
    const api = await this.#request.newContext({
      baseURL: this.portico.origin,
      extraHTTPHeaders: { origin: this.portico.origin },
    });
    const { email, password } = person;
    const begun = await api.post('/auth/api/signup', {
      data: { email, password, confirm_password: password },
    });
    expect(begun.status(), await begun.text()).toBe(200);
    const flow = new URL((await begun.json()).next, this.portico.origin).searchParams.get('flow');
    const { code } = await this.mailbox.next(email);
    const done = await api.post('/auth/api/verify-code', { data: { flow, code } });
    expect(done.status(), await done.text()).toBe(200);
    await api.dispose();
    return person;
  }

  async stop(): Promise<void> {
    await Promise.all([this.portico, ...this.#more].map((portico) => portico.stop()));
    const notes = this.#apps?.then((apps) => apps.notes.stop());
    await Promise.all([this.mailbox.stop(), this.provider.stop(), this.app.stop(), notes]);
  }
}

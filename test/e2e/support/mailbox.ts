import { EventEmitter, once } from 'node:events';
import { simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { portOf } from './port.js';

/** An email as its reader sees it. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  /** The six digits, or "". */
  code: string;
  /** The link with a token, and the token, or "". */
  link: string;
  token: string;
}

/** The mail server refuses addresses that begin so. */
export const NO_MAILBOX = 'no-mailbox-';

/** Longer than an email takes on a busy machine. After that time it counts as not sent. */
const PATIENCE_MS = 10_000;

/** A mail server that accepts every email, unless its recipient has no mailbox. */
export class Mailbox {
  readonly #server: SMTPServer;
  /** All emails in the order of their arrival. */
  readonly mails: Mail[] = [];
  readonly #read = new Set<Mail>();
  readonly #arrivals = new EventEmitter<{ mail: [] }>();

  private constructor() {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['AUTH', 'STARTTLS'],
      onRcptTo: ({ address }, _, done) => {
        const refusal = Object.assign(new Error('no such mailbox'), { responseCode: 550 });
        done(address.startsWith(NO_MAILBOX) ? refusal : null);
      },
      onData: (stream, session, done) => {
        const to = session.envelope.rcptTo.map((receiver) => receiver.address.toLowerCase());
        simpleParser(stream).then(
          (parsed) => {
            for (const address of to) this.#keep(address, parsed.subject ?? '', parsed.text ?? '');
            done();
          },
          (error: Error) => done(error),
        );
      },
    });
  }

  static async start(): Promise<Mailbox> {
    const box = new Mailbox();
    box.#server.listen(0, '127.0.0.1');
    await once(box.#server.server, 'listening');
    return box;
  }

  get port(): number {
    return portOf(this.#server.server);
  }

  #keep(to: string, subject: string, text: string): void {
    const link = /https?:\/\/\S+[?&]token=[\w-]+/.exec(text)?.[0] ?? '';
    this.mails.push({
      to,
      subject,
      text,
      code: /\b\d{6}\b/.exec(text)?.[0] ?? '',
      link,
      token: link.split('token=')[1] ?? '',
    });
    this.#arrivals.emit('mail');
  }

  /** Waits for the oldest unread email to the address with this subject. */
  async next(to: string, about = /./): Promise<Mail> {
    const tooLate = AbortSignal.timeout(PATIENCE_MS);
    for (;;) {
      const mail = this.to(to).find((m) => !this.#read.has(m) && about.test(m.subject));
      if (mail) {
        this.#read.add(mail);
        return mail;
      }
      await once(this.#arrivals, 'mail', { signal: tooLate }).catch(() => {
        throw new Error(`No mail about ${about} came for ${to}, only: ${this.to(to).map((m) => m.subject)}`);
      });
    }
  }

  /** All emails to the address so far. */
  to(address: string): readonly Mail[] {
    return this.mails.filter((mail) => mail.to === address.toLowerCase());
  }

  stop(): Promise<void> {
    return new Promise((done) => this.#server.close(() => done()));
  }
}

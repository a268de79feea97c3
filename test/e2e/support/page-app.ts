import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { portOf } from './port.js';

const LIBRARY = createRequire(import.meta.url)
  .resolve('oidc-client-ts')
  .replace(/umd.*$/, 'browser/oidc-client-ts.min.js');

/*
 * The app has no server part: its script asks Portico itself, from another origin. It
 * keeps its tokens in the browser and refreshes them with the refresh token.
 */
const page = (issuer: string) => `<!doctype html><meta charset="utf-8"><title>Tasks</title><h1></h1>
<button id="in">Sign in</button> <button id="beside">Sign in beside</button> <button id="renew">Renew</button> <button id="out">Sign out</button>
<script src="/oidc.js"></script>
<script type="module">
const app = new oidc.UserManager({
  authority: '${issuer}', client_id: 'tasks', redirect_uri: location.origin + '/cb',
  post_logout_redirect_uri: location.origin + '/', scope: 'openid email', loadUserInfo: true, automaticSilentRenew: false,
});
const show = (text) => { document.querySelector('h1').textContent = text; };
const tell = (error) => show('Failed: ' + error.message);
const state = (user) => show(user ? 'Tasks of ' + user.profile.email : 'Nobody');
const at = (id, act) => { document.getElementById(id).onclick = () => act().catch(tell); };
at('in', () => app.signinRedirect());
at('renew', async () => {
  const before = await app.getUser();
  const after = await app.signinSilent();
  if (before.access_token === after.access_token) throw new Error('the same token again');
  show('Renewed for ' + after.profile.email);
});
at('out', () => app.signoutRedirect());
// as docs/integrating/native-apps.md says
const channel = new BroadcastChannel('signed-in');
channel.onmessage = async ({ data }) => {
  await app.storeUser(oidc.User.fromStorageString(data));
  state(await app.getUser());
};
let popup;
at('beside', async () => { popup = open('/beside', '_blank', 'popup,width=480,height=760'); });
window.seesPopup = () => !popup.closed;
try {
  if (location.pathname === '/beside') await app.signinRedirect({ state: 'beside' });
  else if (location.pathname === '/cb') {
    const user = await app.signinCallback();
    history.replaceState(null, '', '/');
    if (user.state === 'beside') {
      channel.postMessage(user.toStorageString());
      setTimeout(close, 50); // not before the message has left
    }
  }
  state(await app.getUser());
} catch (error) {
  tell(error);
}
</script>`;

/** An app that runs in the browser alone, on a client that others wrote (oidc-client-ts). */
export class PageApp {
  readonly origin: string;
  readonly #server: Server;
  #issuer = '';

  private constructor(server: Server) {
    this.#server = server;
    this.origin = `http://127.0.0.1:${portOf(server)}`;
    server.on('request', async (request, response) => {
      if (request.url === '/oidc.js') {
        return void response
          .writeHead(200, { 'content-type': 'text/javascript' })
          .end(await readFile(LIBRARY));
      }
      response.writeHead(200, { 'content-type': 'text/html' }).end(page(this.#issuer));
    });
  }

  static async start(): Promise<PageApp> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new PageApp(server);
  }

  /** The table of portico.toml that registers the app. */
  get settings(): string {
    return `[[client]]
id = "tasks"
name = "Tasks"
public = true
redirect_uris = ["${this.origin}/cb"]
post_logout_redirect_uris = ["${this.origin}/"]
`;
  }

  serve(issuer: string): void {
    this.#issuer = issuer;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

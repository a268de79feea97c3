import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { portOf } from './port.js';

/** An app on another origin that uses Portico to sign its users in. Its path /on leads to the address in `to`. */
export class App {
  readonly origin: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.origin = `http://127.0.0.1:${portOf(server)}`;
  }

  static async start(): Promise<App> {
    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
      if (pathname === '/on') {
        response.writeHead(302, { location: searchParams.get('to') ?? '/' }).end();
        return;
      }
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      response.end(
        `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>App</title><h1>The app at ${encodeURI(request.url ?? '')}</h1></html>`,
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new App(server);
  }

  /** The address that leads to an address elsewhere. */
  leadingTo(address: string): string {
    return `${this.origin}/on?to=${encodeURIComponent(address)}`;
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((done) => this.#server.close(() => done()));
  }
}

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { portOf } from './port.js';

/** An app on another origin that uses Portico to sign its users in. */
export class App {
  readonly origin: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.origin = `http://127.0.0.1:${portOf(server)}`;
  }

  static async start(): Promise<App> {
    const server = createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      response.end(
        `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>App</title><h1>The app at ${encodeURI(request.url ?? '')}</h1></html>`,
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new App(server);
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((done) => this.#server.close(() => done()));
  }
}

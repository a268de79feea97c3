import { once } from 'node:events';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import { selfSigned } from './certificate.js';
import { portOf } from './port.js';

/**
 * A proxy with TLS in front of Portico, which shows it at any host. Portico sees its own host
 * alone, so only the browser can tell the sites apart.
 */
export class Sites {
  readonly #server: Server;
  readonly #portico: URL;
  readonly #shown: string;

  private constructor(server: Server, portico: URL, shown: string) {
    this.#server = server;
    this.#portico = portico;
    this.#shown = shown;
    server.on('request', (asked, answer) => {
      const headers = { ...asked.headers, host: new URL(this.#shown).host };
      if (headers.origin) headers.origin = this.#shown;
      const { method, url: path } = asked;
      const { hostname, port } = this.#portico;
      asked.pipe(
        request({ hostname, port, method, path, headers }, (answered) => {
          answer.writeHead(answered.statusCode ?? 502, answered.headers);
          answered.pipe(answer);
        }),
      );
    });
  }

  /** portico is where it listens, shown is the origin that it has for browsers. */
  static async start(portico: string, shown: string): Promise<Sites> {
    const server = createServer(selfSigned()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Sites(server, new URL(portico), shown);
  }

  /** Arguments of a browser that finds every site here, at the port of https. */
  get found(): string[] {
    return [
      `--host-resolver-rules=MAP *:443 127.0.0.1:${portOf(this.#server)}`,
      '--ignore-certificate-errors',
    ];
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

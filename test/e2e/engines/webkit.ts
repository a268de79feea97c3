import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '../support/port.js';
import { Display } from './display.js';
import type { Engine } from './engine.js';

const MINI_BROWSER = '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser';

/** WebDriver's characters for keys that type nothing (WebDriver 17.4.2). */
const KEYS = { Tab: '\uE004', Enter: '\uE007', ArrowLeft: '\uE012', Backspace: '\uE003' };

/** WebKitGTK over its own WebDriver, on a virtual display. */
export async function startWebkit(): Promise<Engine> {
  const display = await Display.start();
  const home = await mkdtemp(join(tmpdir(), 'portico-webkit-'));
  const [port = 0] = await freePorts(1);
  const env = { ...process.env, DISPLAY: display.name, GDK_BACKEND: 'x11', NO_AT_BRIDGE: '1', HOME: home };
  const driver = spawn('dbus-run-session', ['WebKitWebDriver', `--port=${port}`, '--host=127.0.0.1'], {
    stdio: 'ignore',
    detached: true, // a group of its own: the browser ends with it
    env: { ...env, XDG_CACHE_HOME: home, XDG_DATA_HOME: home },
  });
  const kill = () => driver.pid && process.kill(-driver.pid);
  process.once('exit', kill);

  const stop = async () => {
    process.off('exit', kill);
    const ended = once(driver, 'exit');
    kill();
    await ended;
    await display.stop();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    return await openSession(port, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openSession(port: number, stop: () => Promise<void>): Promise<Engine> {
  await answering(port);
  const { sessionId } = await call<{ sessionId: string }>(port, 'POST', '/session', {
    capabilities: {
      alwaysMatch: {
        'webkitgtk:browserOptions': { binary: process.env['WEBKIT'] ?? MINI_BROWSER, args: ['--automation'] },
      },
    },
  });
  const session = `/session/${sessionId}`;
  const post = <T>(path: string, body: object) => call<T>(port, 'POST', session + path, body);
  const evaluate = <T>(body: string) => post<T>('/execute/sync', { script: body, args: [] });
  const pointer = (action: object) =>
    post<void>('/actions', {
      actions: [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions: [action] }],
    });
  const strike = (text: string) =>
    post<void>('/actions', {
      actions: [
        {
          type: 'key',
          id: 'keyboard',
          actions: Array.from(text).flatMap((value) => [
            { type: 'keyDown', value },
            { type: 'keyUp', value },
          ]),
        },
      ],
    });

  return {
    resize: (size) => post('/window/rect', { x: 0, y: 0, ...size }),
    goto: (url) => post('/url', { url }),
    evaluate,
    move: (x, y) => pointer({ type: 'pointerMove', duration: 0, x: Math.round(x), y: Math.round(y) }),
    down: () => pointer({ type: 'pointerDown', button: 0 }),
    up: () => pointer({ type: 'pointerUp', button: 0 }),
    type: strike,
    press: (key) => strike(KEYS[key]),
    stop: async () => {
      await call(port, 'DELETE', session).catch(() => {}); // the driver is killed in any case
      await stop();
    },
  };
}

async function answering(port: number): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call(port, 'GET', '/status');
    } catch (error) {
      if (attempt > 200) throw error;
      await pause(100);
    }
  }
}

/** Calls the driver. It does not answer on the keep-alive connections of fetch(). */
function call<T>(port: number, method: string, path: string, body?: object): Promise<T> {
  const text = body ? JSON.stringify(body) : '';
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        port,
        host: '127.0.0.1',
        method,
        path,
        agent: false,
        timeout: 60_000,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => {
          const { value } = JSON.parse(Buffer.concat(parts).toString());
          if ((response.statusCode ?? 500) < 400) resolve(value as T);
          else reject(new Error(`${method} ${path}: ${JSON.stringify(value)}`));
        });
      },
    );
    asked.on('timeout', () => asked.destroy(new Error(`no answer to ${method} ${path}`)));
    asked.on('error', reject);
    asked.end(text);
  });
}

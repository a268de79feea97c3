import { defineConfig } from '@playwright/test';

/** The journeys of every change. `make e2e` adds the other journeys. */
const MAIN = /\/(signup|signin|recovery|code|provider)\.spec\.ts$/;

// One Portico, mail server and identity provider for each worker. Two workers fill two cores.
export default defineConfig({
  globalSetup: './support/binary.ts',
  outputDir: 'results/failures',
  workers: 2,
  fullyParallel: true,
  forbidOnly: Boolean(process.env['CI']),
  // A failed journey is retried once and then listed as flaky, because a loaded machine may disturb it.
  retries: process.env['CI'] ? 1 : 0,
  // Upper limits only: a fast step continues at once, and a busy machine is slow.
  timeout: 180_000,
  expect: { timeout: 20_000 },
  reporter: [['list', { printSteps: false }]],
  use: {
    locale: 'en-US',
    viewport: { width: 1280, height: 800 },
    screenshot: 'only-on-failure',
    trace: process.env['TRACE'] ? 'on' : 'off', // a trace doubles the time
    launchOptions: {
      executablePath: process.env['CHROMIUM'] ?? '/usr/lib/chromium/chromium-headless-shell',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
      ignoreDefaultArgs: ['--disable-back-forward-cache'], // browsers have it by default
    },
  },
  projects: [
    { name: 'main', testDir: 'journeys', testMatch: MAIN },
    { name: 'others', testDir: 'journeys', testIgnore: MAIN },
    // WebDriver does not report when a page has handled a key. On a busy machine a press may come too early.
    { name: 'engines', testDir: 'engines', retries: 2 },
    { name: 'shots', testDir: 'shots' },
  ],
});

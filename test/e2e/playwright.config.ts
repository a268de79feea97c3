import { defineConfig } from '@playwright/test';

// One Portico, mail server and identity provider a worker: two fill the two cores.
export default defineConfig({
  globalSetup: './support/binary.ts',
  outputDir: 'results/failures',
  workers: 2,
  fullyParallel: true,
  forbidOnly: Boolean(process.env['CI']),
  // A journey that a loaded machine disturbs is tried once more, and listed as flaky then.
  retries: process.env['CI'] ? 1 : 0,
  // Only upper bounds: a step that is done goes on at once, and a busy machine takes its time.
  timeout: 90_000,
  expect: { timeout: 20_000 },
  reporter: [['list', { printSteps: false }]],
  use: {
    locale: 'en-US',
    viewport: { width: 1280, height: 800 },
    screenshot: 'only-on-failure',
    trace: process.env['TRACE'] ? 'on' : 'off', // a trace doubles the time
    launchOptions: {
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
      ignoreDefaultArgs: ['--disable-back-forward-cache'], // people's browsers have it on
    },
  },
  projects: [
    { name: 'journeys', testDir: 'journeys' },
    // WebDriver gives no word of when a page has done with a key: on a busy machine a press may come too early.
    { name: 'engines', testDir: 'engines', retries: 2 },
    { name: 'shots', testDir: 'shots' },
  ],
});

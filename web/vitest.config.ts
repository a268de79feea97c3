import react from '@vitejs/plugin-react';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';

// Vitest 5.1 reports failures with Map.groupBy, which Node 20 lacks; its runs work there otherwise.
Map.groupBy ??= (items, keyOf) => {
  const groups = new Map();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index++);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
};

const executablePath = process.env['CHROMIUM'] ?? '/usr/lib/chromium/chromium-headless-shell';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'node',
          include: ['src/{admin,lib,api,i18n,entry}/**/*.test.{ts,tsx}'],
          environment: 'node',
        },
      },
      {
        plugins: [react()],
        optimizeDeps: { include: ['react-dom/client', 'react/jsx-dev-runtime', 'axe-core'] },
        test: {
          name: 'controls',
          include: ['src/{ui,screens,form}/**/*.test.tsx'],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
              launchOptions: { executablePath, args: ['--no-sandbox', '--disable-gpu'] },
            }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
      {
        test: {
          name: 'documents',
          globalSetup: 'tests/build.ts',
          include: ['tests/**/*.test.ts'],
          environment: 'node',
          testTimeout: 180_000,
          expect: { poll: { timeout: 20_000 } }, // a busy machine takes its time
          retry: process.env['CI'] ? 1 : 0, // a page that a loaded machine disturbs is tried once more
          env: { CHROMIUM: executablePath },
        },
      },
    ],
  },
});

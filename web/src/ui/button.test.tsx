import { expect, test } from 'vitest';
import { show, violations } from '../../tests/render';
import { Button } from './button';

const shown = (props: { busy?: boolean; wait?: number }) =>
  show(<Button {...props}>Create account</Button>).querySelector('button') as HTMLButtonElement;

test('busy keeps the width, the name and the place in the tab order', async () => {
  const { width, height } = shown({}).getBoundingClientRect();
  const busy = shown({ busy: true });
  expect(busy.getBoundingClientRect()).toMatchObject({ width, height });
  expect(busy.textContent).toBe('Create account');
  expect([busy.ariaBusy, busy.ariaDisabled, busy.disabled]).toEqual(['true', 'true', false]);
  expect(await violations()).toEqual([]);
});

test.each([
  [5, 'Create account\u00a0(0:05)'],
  [65, 'Create account\u00a0(1:05)'],
  [3600, 'Create account\u00a0(60:00)'],
])('waiting %d seconds says how long', (wait, text) => {
  const button = shown({ wait });
  expect(button.textContent).toBe(text);
  expect(button.ariaDisabled).toBe('true');
});

test('a wait of more than an hour leaves the label alone', () => {
  const button = shown({ wait: 3601 });
  expect(button.textContent).toBe('Create account');
  expect(button.ariaDisabled).toBe('true');
});

import { beforeEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { show, violations } from '../../tests/render';
import { Button } from './button';
import { PasswordField } from './password-field';

let field: HTMLInputElement;
let toggle: HTMLElement;

beforeEach(() => {
  show(
    <form onSubmit={(event) => event.preventDefault()}>
      <PasswordField
        name="password"
        label="Password"
        labels={{
          show: 'Show password',
          capsLock: 'Caps Lock is on.',
          capsLockWas: 'Caps Lock was on while you typed.',
        }}
        error=""
        autoComplete="current-password"
      />
      <Button>Login</Button>
    </form>,
  );
  field = document.querySelector('#password') as HTMLInputElement;
  toggle = page.getByRole('button', { name: 'Show password' }).element() as HTMLElement;
});

test('is accessible hidden and shown', async () => {
  expect(await violations()).toEqual([]);
  toggle.click();
  expect(await violations()).toEqual([]);
});

test.each([
  ['mouse', () => userEvent.click(toggle)],
  ['Space', () => pressOnToggle(' ')],
  ['Enter', () => pressOnToggle('{Enter}')],
  ['a click without a pointer, as voice control makes', async () => toggle.click()],
])('shows and hides by %s, keeps the text and its name', async (_, press) => {
  await userEvent.fill(field, 'tram lemon');
  for (const [type, pressed] of [
    ['text', 'true'],
    ['password', 'false'],
  ]) {
    await press();
    await expect.poll(() => field.type).toBe(type);
    expect(toggle.getAttribute('aria-pressed')).toBe(pressed);
    expect(toggle.getAttribute('aria-label')).toBe('Show password');
    expect(field.value).toBe('tram lemon');
  }
});

async function pressOnToggle(key: string): Promise<void> {
  toggle.focus();
  await userEvent.keyboard(key);
}

test('the toggle follows the field in the tab order and is large enough', async () => {
  field.focus();
  await userEvent.tab();
  expect(document.activeElement).toBe(toggle);
  expect(toggle.getBoundingClientRect().width).toBeGreaterThanOrEqual(24);
});

test('hides the password when the form is sent', async () => {
  await userEvent.fill(field, 'tram lemon');
  toggle.click();
  await expect.poll(() => field.type).toBe('text');
  await page.getByRole('button', { name: 'Login' }).click();
  await expect.poll(() => field.type).toBe('password');
});

const capsHint = () => document.querySelector('#password-caps')?.textContent;

/** A key event with caps lock, which the driver cannot switch on. */
function press(key: string, capsLock: boolean): void {
  const init = { key, bubbles: true, modifierCapsLock: capsLock };
  field.dispatchEvent(new KeyboardEvent('keydown', init));
  if (key.length === 1) field.setRangeText(key, field.selectionStart ?? 0, field.selectionEnd ?? 0, 'end');
  field.dispatchEvent(new KeyboardEvent('keyup', init));
}

test('says that caps lock is on, and stops saying so', async () => {
  press('Shift', true);
  await expect.poll(capsHint).toBe('Caps Lock is on.');
  press('Shift', false);
  await expect.poll(capsHint).toBe('');
});

test('says that a part was typed with caps lock, until it is typed anew', async () => {
  press('a', false);
  press('B', true);
  await expect.poll(capsHint).toBe('Caps Lock is on.');
  press('c', false);
  await expect.poll(capsHint).toBe('Caps Lock was on while you typed.');
  field.focus();
  field.blur();
  expect(capsHint()).toBe('Caps Lock was on while you typed.');
  field.select();
  press('d', false);
  await expect.poll(capsHint).toBe('');
  press('E', true);
  field.value = '';
  press('Backspace', false);
  await expect.poll(capsHint).toBe('');
});

test('leaving with caps lock on still says so; a figure is the same with and without', async () => {
  press('1', true);
  field.focus();
  field.blur();
  await expect.poll(capsHint).toBe('');
  press('A', true);
  field.blur();
  field.focus();
  field.blur();
  await expect.poll(capsHint).toBe('Caps Lock was on while you typed.');
});

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
        labels={{ show: 'Show password', capsLock: 'Caps lock is on.' }}
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

test('says that caps lock is on, and stops saying so', async () => {
  const key = (on: boolean) =>
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true, modifierCapsLock: on }));
  key(true);
  await expect.element(page.getByText('Caps lock is on.')).toBeVisible();
  key(false);
  await expect.poll(() => document.querySelector('#password-caps')?.textContent).toBe('');
});

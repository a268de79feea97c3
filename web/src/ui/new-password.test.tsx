import { beforeEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { show, violations } from '../../tests/render';
import { NewPassword } from './new-password';

const labels = {
  password: 'Password',
  passwordPlaceholder: 'Create a password',
  confirm: 'Confirm Password',
  confirmPlaceholder: 'Repeat your password',
  show: 'Show password',
  capsLock: 'Caps Lock is on.',
  capsLockWas: 'Caps Lock was on while you typed.',
  mismatch: "Passwords don't match.",
  rules: { length: 'At least 8 characters', address: "Doesn't contain your email address", met: '(met)' },
  strength: {
    weak: 'Strength: weak',
    fair: 'Strength: fair',
    good: 'Strength: good',
    strong: 'Strength: strong',
  },
};

let password: HTMLInputElement;
let confirm: HTMLInputElement;

beforeEach(() => {
  show(
    <form>
      <input name="email" aria-label="Email" defaultValue="mara@example.com" />
      <NewPassword
        labels={labels}
        minLength={8}
        maxLength={256}
        errors={{ password: '', confirm_password: '' }}
        weak={false}
      />
    </form>,
  );
  password = document.querySelector('#password') as HTMLInputElement;
  confirm = document.querySelector('#confirm_password') as HTMLInputElement;
});

const met = () =>
  page
    .getByRole('listitem')
    .elements()
    .map((rule) => rule.textContent?.includes('(met)') ?? false);
const mismatch = () => document.querySelector('#confirm_password-error')?.textContent;

test('is accessible, and the rules are read with the field before typing', async () => {
  expect(await violations()).toEqual([]);
  expect(password.getAttribute('aria-describedby')?.split(' ')[0]).toBe('password-rules');
  expect(met()).toEqual([false, false]);
});

test('managers are told what to generate, and nothing cuts what is pasted', () => {
  for (const field of [password, confirm]) {
    expect(field.getAttribute('passwordrules')).toBe('minlength: 8; maxlength: 256;');
    expect(field.maxLength).toBe(-1);
  }
});

test.each([
  ['tram', [false, true], 'Strength: weak'],
  ['mara-tram-1', [true, false], 'Strength: weak'],
  ['mara@example.com', [true, false], 'Strength: weak'],
  ['tram lemon kite', [true, true], 'Strength: good'],
])('%j: rules %j, %s', async (text, rules, strength) => {
  await userEvent.fill(password, text);
  await expect.poll(met).toEqual(rules);
  await expect.element(page.getByText(strength)).toBeVisible();
});

test('that the two differ is said on leaving, taken back on agreement, never while typing', async () => {
  await userEvent.fill(password, 'tram lemon');
  await userEvent.click(confirm);
  await userEvent.keyboard('tram');
  expect(mismatch()).toBe('');
  await userEvent.tab();
  await expect.poll(mismatch).toBe("Passwords don't match.");
  await userEvent.click(confirm);
  await userEvent.keyboard('{End} lemon');
  await expect.poll(mismatch).toBe('');
});

test('the strength of a refused password is what the server says', async () => {
  const field = (error: string) => (
    <form>
      <NewPassword
        labels={labels}
        minLength={8}
        maxLength={256}
        errors={{ password: error, confirm_password: '' }}
        weak
      />
    </form>
  );
  show(field('This password is easy to guess.'));
  await userEvent.fill(page.getByLabelText('Password', { exact: true }), 'dragonmonkey1');
  await expect.element(page.getByText('Strength: weak')).toBeInTheDocument();
  show(field('')); // the user has edited it
  await userEvent.fill(page.getByLabelText('Password', { exact: true }), 'dragonmonkey1');
  await expect.element(page.getByText('Strength: good')).toBeInTheDocument();
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorld, visit, type World } from './browser';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** The elements that the specification fixes, in its order. */
const SPEC = {
  signin: [
    'heading: Sign in',
    'label: Email',
    'email email required "Enter your email address"',
    'label: Password',
    'password password required ""',
    'button: Show password',
    'link: Forgot your password? -> /auth/forgot-password',
    'button: Login',
    'text: OR',
    'button: Continue with Google (icon)',
    'button: Sign in with a passkey (icon)', // ours, beside the providers
    "text: Don't have an account?",
    'link: Sign up -> /auth/signup',
  ],
  signup: [
    'heading: Create an account',
    'label: Email',
    'email email required "Enter your email address"',
    'label: Password',
    'password password required "Create a password"',
    'button: Show password',
    'text: At least 8 characters',
    "text: Doesn't contain your email address",
    'label: Confirm Password',
    'confirm_password password required "Repeat your password"',
    'button: Create account',
    'text: OR',
    'button: Continue with Google (icon)',
    'button: Sign up with a passkey (icon)', // ours, beside the providers
    'text: Already have an account?',
    'link: Sign in -> /auth/signin',
  ],
  'forgot-password': [
    'heading: Reset your password',
    'text: Enter the email address tied to your account and we will send you a link to reset your password.',
    'label: Email',
    'email email required "Enter your email address"',
    'button: Send reset link',
    'link: Back to sign in -> /auth/signin',
  ],
  'verify-code': [
    'heading: Verify your code',
    'text: Enter the 6-digit code sent to your email address mara@example.com.',
    'label: 6-digit code',
    'code text required ""',
    "text: We check the code as soon as you've entered all six digits.",
    'button: Verify',
    "text: Didn't receive a code?",
    'button: Resend',
    'text: The code works for 10 minutes.',
    'text: More help',
    'text: Check your spam folder. The email comes from',
    'text: no-reply@example.org',
    'text: .',
    'text: If the email has no code, it says why, and what to do instead. For example, you may already have an account.',
    'link: Use a different email address -> /auth/signup?flow=flow1',
  ],
};

test.each(Object.entries(SPEC))(
  '%s shows what the specification says, in its order',
  async (screen, expected) => {
    const { page } = await visit(world, `/dev/screens/${screen}/idle/light`, {
      javaScriptEnabled: false,
      hydrate: false,
    });
    const seen = await page.locator('main').evaluate((main) => {
      const said = (element: Element) =>
        element.getAttribute('aria-label') ?? element.textContent?.trim() ?? '';
      const lines: string[] = [];
      const walk = (node: Node): void => {
        if (node instanceof Text && node.data.trim()) lines.push(`text: ${node.data.trim()}`);
        if (!(node instanceof Element)) return;
        if (node.matches('h1')) lines.push(`heading: ${said(node)}`);
        else if (node.matches('label')) lines.push(`label: ${said(node)}`);
        else if (node.matches('a')) lines.push(`link: ${said(node)} -> ${node.getAttribute('href')}`);
        else if (node.matches('button'))
          lines.push(
            `button: ${said(node)}${node.textContent?.trim() && node.querySelector('svg') ? ' (icon)' : ''}`,
          );
        else if (node instanceof HTMLInputElement && node.type !== 'hidden') {
          lines.push(`${node.name} ${node.type}${node.required ? ' required' : ''} "${node.placeholder}"`);
        } else for (const child of node.childNodes) walk(child);
      };
      walk(main);
      return lines;
    });
    expect(seen).toEqual(expected);
    expect(await page.title()).toBe(expected[0]?.replace('heading: ', ''));
    expect(await page.locator('header').textContent()).toBe('Portico');
  },
);

test.each([
  ['signin', 'Login'],
  ['signup', 'Create account'],
])('%s without providers ends its ways in with %s', async (screen, button) => {
  const { page } = await visit(world, `/dev/screens/${screen}/alone/light`);
  expect(await page.getByText('OR', { exact: true }).count()).toBe(0);
  expect(await page.getByRole('button', { name: /Continue with/ }).count()).toBe(0);
  const [width, form] = await page
    .getByRole('button', { name: button })
    .evaluate((element) => [
      element.getBoundingClientRect().width,
      element.closest('form')?.getBoundingClientRect().width,
    ]);
  expect(width).toBe(form);
});

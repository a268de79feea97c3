import type { ReactNode } from 'react';
import { Button, ButtonLink } from '../../ui/button';
import { CheckBox } from '../../ui/check-box';
import choices from '../../ui/choices.module.css';
import { CodeField } from '../../ui/code-field';
import { Actions, Aside, Divider, Footer } from '../../ui/layout';
import { Hint, Lead } from '../../ui/lead';
import { ErrorSummary, Notice } from '../../ui/message';
import { More } from '../../ui/more';
import { NewPassword } from '../../ui/new-password';
import { PasswordField } from '../../ui/password-field';
import { ProviderIcon } from '../../ui/provider-icon';
import { Success, SuccessHint } from '../../ui/success';
import { TextField } from '../../ui/text-field';
import { Warning } from '../../ui/warning';
import { Timed } from '../timed';
import { Confirm } from './confirm';
import { Badge, Empty, Entries, Entry, Icon } from './entry';

const LABELS = { show: 'Show password', capsLock: 'Caps Lock is on.', capsLockWas: 'Caps Lock was on.' };
const NEW_LABELS = {
  ...LABELS,
  password: 'New password',
  passwordPlaceholder: 'Password',
  confirm: 'Repeat it',
  confirmPlaceholder: 'Password',
  rules: { length: 'At least 8 characters', address: 'Not your address', met: 'met' },
  strength: { weak: 'Weak', fair: 'Fair', good: 'Good', strong: 'Strong' },
  mismatch: "Passwords don't match.",
};
const MOMENT = { at: '2026-05-04T03:02:00Z', words: 'May 4, 2026 at 03:02 UTC' };
const PRESS = <Button look="secondary">Remove</Button>;

/** Each control in each of its states, by the name of its group. The build makes a page of them, which `portico dev` shows. */
export const COMPONENTS: Record<string, ReactNode> = {
  'Title and texts': (
    <>
      <h1>Title of a page</h1>
      <Lead>The purpose of the page, in one or two sentences.</Lead>
      <h2>Heading of a part</h2>
      <Hint>A hint below what it is about.</Hint>
      <SuccessHint>Something on this page is done.</SuccessHint>
      <Divider>OR</Divider>
      <Footer>
        Another way? <a href="#footer">Take it</a>
      </Footer>
    </>
  ),
  Buttons: (
    <Actions>
      <Button>Primary</Button>
      <Button busy>Primary, busy</Button>
      <Button wait={29}>Primary, waiting</Button>
      <Button look="secondary">Secondary</Button>
      <Button look="secondary" busy>
        Secondary, busy
      </Button>
      <Button look="secondary" served={<ProviderIcon icon="github" picture="" />}>
        With an icon
      </Button>
      <Button look="quiet">Quiet</Button>
      <ButtonLink href="#button">A link that looks like a button</ButtonLink>
    </Actions>
  ),
  Dangers: (
    <Actions>
      <Confirm id="danger" press="Remove for good" title="Remove it?" says="It cannot come back.">
        <Button>Remove</Button>
      </Confirm>
      <Confirm id="calm" calm press="Ask before a step" title="Go on?" says="Nothing is lost.">
        <Button>Go on</Button>
      </Confirm>
    </Actions>
  ),
  Fields: (
    <>
      <TextField name="empty" label="Empty" placeholder="Placeholder" error="" />
      <TextField name="filled" label="Filled" defaultValue="mara@example.com" error="" />
      <TextField
        name="wrong"
        label="With an error"
        defaultValue="mara"
        error="Enter a valid email address."
      />
      <PasswordField name="secret" label="Password" defaultValue="secret" labels={LABELS} error="" />
      <PasswordField
        name="secret-wrong"
        label="Password with an error"
        labels={LABELS}
        error="Enter your password."
      />
      <Aside>
        <a href="#aside">A link of the field above</a>
      </Aside>
    </>
  ),
  'New password': (
    <NewPassword
      labels={NEW_LABELS}
      minLength={8}
      maxLength={256}
      errors={{ password: 'This password is easy to guess.', confirm_password: '' }}
      weak
    />
  ),
  Code: <CodeField label="6-digit code" hint="Checked once it is complete." error="" />,
  Choices: (
    <>
      <CheckBox name="box" value="yes" ticked="" error="">
        A box
      </CheckBox>
      <CheckBox name="box-ticked" value="yes" ticked="yes" error="">
        A box with a check
      </CheckBox>
      <CheckBox name="box-wrong" value="yes" ticked="" error="Check the box to go on.">
        A box with an error
      </CheckBox>
      <fieldset className={choices.group}>
        <legend className={choices.legend}>One of two</legend>
        {['First', 'Second'].map((name, i) => (
          <label key={name} className={choices.choice}>
            <input type="radio" name="choice" className={choices.radio} defaultChecked={i === 0} />
            <span>{name}</span>
          </label>
        ))}
      </fieldset>
    </>
  ),
  Messages: (
    <>
      <ErrorSummary words="Wrong email or password." />
      <ErrorSummary
        words="Something went wrong on our end."
        requestId={{ id: '1', words: 'Request ID 01JD3K8V5Q' }}
        retry={{ label: 'Try again', onRetry: () => {} }}
      />
      <Warning>What to check before going on.</Warning>
      <Notice words="Why this page was opened." />
      <Success words="The step before has succeeded." />
      <More label="More help">What few users need.</More>
    </>
  ),
  Lists: (
    <>
      <Entries>
        <Entry icon={<Icon icon="desktop" />} name="Firefox, Linux" badge={<Badge>This device</Badge>}>
          <span>Active now</span>
        </Entry>
        <Entry icon={<Icon icon="key" />} name="A passkey" action={PRESS}>
          <Timed words="Added {time}" of={MOMENT} />
          <span>Never used</span>
        </Entry>
      </Entries>
      <Empty>What will appear here, and what to do for it.</Empty>
    </>
  ),
};

import type { Flow } from './schema.gen';

/** What the server fills into every document; every key is always there, empty when unused. */
export interface Boot {
  screen: ScreenName;
  locale: string;
  locales: string[];
  brand: { name: string; logo: string };
  policy: {
    /** "yes" where people may register. */
    signup: string;
    /** "optional" or "required" where the sign-up form asks for a name. */
    name: string;
    password_min: number;
    password_max: number;
    code_length: number;
    code_minutes: number;
  };
  /** Address that mails come from, empty when none are sent. */
  sender: string;
  providers: Provider[];
  return_to: string;
  values: { name: string; email: string };
  errors: BootErrors;
  notice: string;
  /** "yes" where who is signed in must give a new proof. */
  again: string;
  /** What the step before has done; said once. */
  success: string;
  flow: Flow;
  link: { state: LinkState; mark: string; kind: Flow['kind']; address: string; email: string; age: string };
  session: { id: string; email: string; name: string };
  status: number;
  title: string;
  detail: string;
  next: string;
  next_label: string;
}

/** Words in the visitor's locale, found while the form was handled without script. */
interface BootErrors {
  form: string;
  code: string;
  request_id: string;
  retry_after: number;
  fields: Record<FieldName, string>;
}

interface Provider {
  id: string;
  name: string;
  icon: string;
  /** "yes" for the one by which this browser was signed in last. */
  last: string;
}

export type FieldName = 'name' | 'email' | 'password' | 'confirm_password' | 'code';

type LinkState = '' | 'ready' | 'password' | 'expired' | 'used' | 'replaced' | 'malformed';

export type ScreenName =
  | 'signin'
  | 'signup'
  | 'forgot-password'
  | 'verify-code'
  | 'confirm-link'
  | 'reset-password'
  | 'account'
  | 'signed-out'
  | 'error'
  | 'leaving';

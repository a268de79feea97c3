import type { Boot } from '../api/schema.gen';
import { screen as account } from '../screens/account/account';
import { screen as accountAddresses } from '../screens/account-addresses/account-addresses';
import { screen as accountApps } from '../screens/account-apps/account-apps';
import { screen as accountBrowsers } from '../screens/account-browsers/account-browsers';
import { screen as accountData } from '../screens/account-data/account-data';
import { screen as accountDelete } from '../screens/account-delete/account-delete';
import { screen as accountFactors } from '../screens/account-factors/account-factors';
import { screen as accountHistory } from '../screens/account-history/account-history';
import { screen as accountPasskeys } from '../screens/account-passkeys/account-passkeys';
import { screen as accountPassword } from '../screens/account-password/account-password';
import { screen as accountProfile } from '../screens/account-profile/account-profile';
import { screen as accountProviders } from '../screens/account-providers/account-providers';
import { screen as accountSessions } from '../screens/account-sessions/account-sessions';
import { screen as accountTokens } from '../screens/account-tokens/account-tokens';
import { screen as confirmLink } from '../screens/confirm-link/confirm-link';
import { screen as consent } from '../screens/consent/consent';
import { screen as device } from '../screens/device/device';
import { screen as error } from '../screens/error/error';
import { screen as forgotPassword } from '../screens/forgot-password/forgot-password';
import { screen as keep } from '../screens/keep/keep';
import { screen as leaving } from '../screens/leaving/leaving';
import { screen as mfa } from '../screens/mfa/mfa';
import { screen as newPasskey } from '../screens/new-passkey/new-passkey';
import { screen as notMe } from '../screens/not-me/not-me';
import { screen as protect } from '../screens/protect/protect';
import { screen as resetPassword } from '../screens/reset-password/reset-password';
import type { Screen } from '../screens/screen';
import { screen as signOut } from '../screens/sign-out/sign-out';
import { screen as signedOut } from '../screens/signed-out/signed-out';
import { screen as signin } from '../screens/signin/signin';
import { screen as signinCode } from '../screens/signin-code/signin-code';
import { screen as signup } from '../screens/signup/signup';
import { screen as terms } from '../screens/terms/terms';
import { screen as verifyCode } from '../screens/verify-code/verify-code';

/** All screens by their names in the boot data. */
export const screens: Record<Boot['screen'], Screen> = {
  signin,
  signup,
  'forgot-password': forgotPassword,
  'signin-code': signinCode,
  'verify-code': verifyCode,
  'confirm-link': confirmLink,
  'reset-password': resetPassword,
  mfa,
  terms,
  account,
  'account-password': accountPassword,
  'account-factors': accountFactors,
  'account-passkeys': accountPasskeys,
  'new-passkey': newPasskey,
  'account-addresses': accountAddresses,
  'account-sessions': accountSessions,
  'account-profile': accountProfile,
  'account-history': accountHistory,
  'account-apps': accountApps,
  'account-data': accountData,
  'account-providers': accountProviders,
  'account-browsers': accountBrowsers,
  'account-tokens': accountTokens,
  'account-delete': accountDelete,
  keep,
  protect,
  consent,
  device,
  'not-me': notMe,
  'sign-out': signOut,
  'signed-out': signedOut,
  error,
  leaving,
};

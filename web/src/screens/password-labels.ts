import type { Text } from '../i18n/text';

/** The words of every password field. */
export const passwordLabels = (t: Text['t']) => ({
  show: t('common.show_password'),
  capsLock: t('common.caps_lock'),
  capsLockWas: t('common.caps_lock_was'),
});

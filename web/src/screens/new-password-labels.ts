import type { Text } from '../i18n/text';
import type { NewPasswordLabels } from '../ui/new-password';
import { passwordLabels } from './password-labels';

type FieldLabels = Pick<
  NewPasswordLabels,
  'password' | 'passwordPlaceholder' | 'confirm' | 'confirmPlaceholder'
>;

/** The words of the fields for a new password. Each screen names the fields differently. */
export const newPasswordLabels = (
  { t, fault }: Text,
  minLength: number,
  fields: FieldLabels,
): NewPasswordLabels => ({
  ...fields,
  ...passwordLabels(t),
  mismatch: fault('password.mismatch') ?? '',
  rules: {
    length: t('common.rule.length', { count: minLength }),
    address: t('common.rule.address'),
    met: t('common.rule.met'),
  },
  strength: {
    weak: t('common.strength.weak'),
    fair: t('common.strength.fair'),
    good: t('common.strength.good'),
    strong: t('common.strength.strong'),
  },
});

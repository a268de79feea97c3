import type { Boot } from '../api/schema.gen';
import type { Trouble } from '../form/failure';
import { useText } from '../i18n/provider';
import { NewPassword } from '../ui/new-password';
import { passwordLabels } from './password-labels';

interface NewPasswordFieldsProps {
  boot: Boot;
  /** Each screen names the first field differently. */
  label: string;
  trouble: Trouble<'password' | 'confirm_password'>;
}

/** The two fields for a new password, with the words of the catalogue and the settings of the site. */
export function NewPasswordFields({ boot: { settings }, label, trouble }: NewPasswordFieldsProps) {
  const { t, fault } = useText();
  const { password_min: minLength, password_max: maxLength } = settings;
  const labels = {
    ...passwordLabels(t),
    password: label,
    passwordPlaceholder: t('common.password_placeholder'),
    confirm: t('common.confirm'),
    confirmPlaceholder: t('common.confirm_placeholder'),
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
  };
  return (
    <NewPassword
      labels={labels}
      minLength={minLength}
      maxLength={maxLength}
      errors={trouble.fields}
      weak={trouble.weak}
    />
  );
}

import { useState } from 'react';
import type { Boot, SavedCodes } from '../../api/schema.gen';
import { useForm } from '../../form/use-form';
import { useText } from '../../i18n/provider';
import { Each } from '../../lib/template';
import { Button } from '../../ui/button';
import { HiddenField } from '../../ui/hidden-field';
import { Lead } from '../../ui/lead';
import { OwnFrame } from '../own/own-frame';
import styles from './factors.module.css';
import { toProof } from './proof';

/** The recovery codes, the only time that they are shown. */
export function Codes({ boot, title }: { boot: Boot; title: string }) {
  const { t } = useText();
  const form = useForm({ boot, path: '/auth/api/factors/saved', onTrouble: toProof });
  return (
    <OwnFrame boot={boot} at="factors" title={title} summary={form.summary} announcement={form.announcement}>
      <p className={styles.paper}>
        {t('account-factors.saved.paper', {
          email: boot.session.email,
          brand: boot.brand.name,
          day: boot.factors.made,
        })}
      </p>
      <Lead>{t('account-factors.saved.lead')}</Lead>
      <ul className={styles.codes} aria-label={t('account-factors.saved.list')}>
        <Each of={boot.factors.codes}>
          {({ id }) => (
            <li>
              <code>{id}</code>
            </li>
          )}
        </Each>
      </ul>
      <Keep boot={boot} />
      <form {...form.props} action={`/auth/account/factors/saved?flow=${boot.flow.id}`}>
        <HiddenField<SavedCodes> name="flow" value={boot.flow.id} />
        <Button busy={form.busy} wait={form.wait}>
          {t('account-factors.saved.submit')}
        </Button>
      </form>
    </OwnFrame>
  );
}

/** Copies, downloads and prints the codes. Without script the user does so with the browser. */
function Keep({ boot }: { boot: Boot }) {
  const { t } = useText();
  const [said, setSaid] = useState('');
  const text = () =>
    `${boot.brand.name}\n${boot.session.email}\n\n${boot.factors.codes.map(({ id }) => id).join('\n')}\n`;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setSaid(t('account-factors.saved.copied'));
    } catch {
      setSaid(t('account-factors.saved.not_copied'));
    }
  };
  const download = () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text()], { type: 'text/plain' }));
    link.download = t('account-factors.saved.file', { brand: boot.brand.name });
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const actions = [
    [t('account-factors.saved.copy'), copy],
    [t('account-factors.saved.download'), download],
    [t('account-factors.saved.print'), () => print()],
  ] as const;
  return (
    <div className={styles.keep}>
      {actions.map(([label, onClick]) => (
        <Button key={label} type="button" look="quiet" onClick={onClick}>
          {label}
        </Button>
      ))}
      <p role="status" className={styles.said}>
        {said}
      </p>
    </div>
  );
}

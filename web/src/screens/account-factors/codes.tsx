import type { Boot, SavedCodes } from '../../api/schema.gen';
import { reloadWhenOver } from '../../form/reload-when-over';
import { useForm } from '../../form/use-form';
import { useText } from '../../i18n/provider';
import { Each } from '../../lib/template';
import { Button } from '../../ui/button';
import { HiddenField } from '../../ui/hidden-field';
import { Lead } from '../../ui/lead';
import { Copying } from '../own/copying';
import { OwnFrame } from '../own/own-frame';
import styles from './factors.module.css';

/** The recovery codes, the only time that they are shown. */
export function Codes({ boot, title }: { boot: Boot; title: string }) {
  const { t } = useText();
  const form = useForm({ boot, path: '/auth/api/factors/saved', onTrouble: reloadWhenOver });
  return (
    <OwnFrame boot={boot} at="factors" title={title} form={form}>
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
  const text = () =>
    `${boot.brand.name}\n${boot.session.email}\n\n${boot.factors.codes.map(({ id }) => id).join('\n')}\n`;
  const download = () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text()], { type: 'text/plain' }));
    link.download = t('account-factors.saved.file', { brand: boot.brand.name });
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <Copying text={text} refused={t('account-factors.saved.not_copied')}>
      <Button type="button" look="quiet" onClick={download}>
        {t('account-factors.saved.download')}
      </Button>
      <Button type="button" look="quiet" onClick={() => print()}>
        {t('account-factors.saved.print')}
      </Button>
    </Copying>
  );
}

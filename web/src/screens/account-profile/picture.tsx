import { type ChangeEvent, useEffect, useState } from 'react';
import type { Boot } from '../../api/schema.gen';
import { PostForm } from '../../form/post-form';
import { useText } from '../../i18n/provider';
import { When } from '../../lib/template';
import { Button } from '../../ui/button';
import field from '../../ui/field.module.css';
import { Hint } from '../../ui/lead';
import { Portrait } from '../own/portrait';
import styles from './picture.module.css';
import { KINDS, shrunk } from './shrunk';

const PATH = '/auth/account/profile/picture';

/** The picture of the user, with the forms that replace and remove it. */
export function Picture({ boot }: { boot: Boot }) {
  const { t } = useText();
  const [kinds, setKinds] = useState(KINDS);
  useEffect(() => setKinds([...KINDS, 'image/webp']), []); // which only a script makes usable
  const account = <input type="hidden" name="account" value={boot.session.id} />;
  return (
    <section className={styles.section} aria-labelledby="pictures">
      <h2 className={styles.heading} id="pictures">
        {t('account-profile.picture')}
      </h2>
      <div className={styles.row}>
        <Portrait boot={boot} />
        <div className={styles.form}>
          <PostForm action={PATH} encType="multipart/form-data">
            {(busy) => (
              <>
                {account}
                <label className={field.label} htmlFor="picture">
                  {t('account-profile.picture_file')}
                </label>
                <input
                  className={styles.file}
                  type="file"
                  id="picture"
                  name="picture"
                  accept={kinds.join()}
                  onChange={shrink}
                />
                <Button look="secondary" busy={busy}>
                  {t('account-profile.picture_submit')}
                </Button>
              </>
            )}
          </PostForm>
        </div>
      </div>
      <Hint>{t('account-profile.picture_hint')}</Hint>
      <When value={boot.account.picture}>
        <div className={styles.remove}>
          <PostForm action={`${PATH}/remove`}>
            {(busy) => (
              <>
                {account}
                <Button look="quiet" busy={busy}>
                  {t('account-profile.picture_remove')}
                </Button>
              </>
            )}
          </PostForm>
        </div>
      </When>
    </section>
  );
}

/** Replaces a chosen file that is too large by a small copy of it. The server says what is wrong with any other. */
async function shrink({ currentTarget: input }: ChangeEvent<HTMLInputElement>): Promise<void> {
  const chosen = input.files?.[0];
  const small = chosen && (await shrunk(chosen).catch(() => undefined));
  if (!small || input.files?.[0] !== chosen) return;
  const list = new DataTransfer();
  list.items.add(small);
  input.files = list.files;
}

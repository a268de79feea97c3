import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { Boot } from '../../api/schema.gen';
import { PostForm } from '../../form/post-form';
import { useText } from '../../i18n/provider';
import { When } from '../../lib/template';
import { useStay } from '../../lib/use-restored-page';
import { Button } from '../../ui/button';
import { Hint } from '../../ui/lead';
import { Portrait } from '../own/portrait';
import { useFormer } from './former';
import styles from './picture.module.css';
import { KINDS, shrunk } from './shrunk';

const PATH = '/auth/account/profile/picture';

/** The picture of the user. A chosen one is shown and sent at once; without script a button sends it. */
export function Picture({ boot }: { boot: Boot }) {
  const { t } = useText();
  const [kinds, setKinds] = useState(KINDS);
  const [chosen, setChosen] = useState('');
  const file = useRef<HTMLInputElement>(null);
  const keep = useFormer(boot.account.picture, boot.session.id);
  const send = async (input: HTMLInputElement) => {
    const chosen = input.files?.[0];
    if (!chosen) return;
    // The server says what is wrong with a file that cannot be drawn.
    const small = await shrunk(chosen).catch(() => undefined);
    const address = await addressOf(small ?? chosen);
    if (input.files?.[0] !== chosen) return; // another one was chosen meanwhile
    if (small) put(small, input);
    setChosen(address);
    input.form?.requestSubmit();
    input.value = ''; // it is on its way: Back must not bring it here again, and the same file may be chosen once more
  };
  useStay(useCallback(() => setChosen(''), []));
  const begin = useEffectEvent(() => {
    setKinds([...KINDS, 'image/webp']); // which only a script makes usable
    if (file.current) void send(file.current); // chosen before the script ran
  });
  useEffect(() => begin(), []);
  const account = <input type="hidden" name="account" value={boot.session.id} />;
  return (
    <section className={`entry ${styles.section}`} aria-label={t('account-profile.picture')} onSubmit={keep}>
      {chosen ? (
        <img className="portrait" src={chosen} alt="" width="64" height="64" />
      ) : (
        <Portrait boot={boot} />
      )}
      <div className={styles.side}>
        <div className={styles.row}>
          <PostForm action={PATH} encType="multipart/form-data">
            {(busy) => (
              <>
                {account}
                <label className={`button-button button-secondary ${styles.choose}`} aria-busy={busy}>
                  {t('account-profile.picture_file')}
                  <input
                    className={styles.file}
                    type="file"
                    name="picture"
                    accept={kinds.join()}
                    ref={file}
                    onChange={({ currentTarget }) => void send(currentTarget)}
                  />
                </label>
                <div className={styles.plain}>
                  <Button look="secondary" busy={busy}>
                    {t('account-profile.picture_submit')}
                  </Button>
                </div>
              </>
            )}
          </PostForm>
          <When value={boot.account.picture}>
            <PostForm action={`${PATH}/remove`}>
              {(busy) => (
                <>
                  {account}
                  <Button look="secondary" busy={busy}>
                    {t('account-profile.picture_remove')}
                  </Button>
                </>
              )}
            </PostForm>
          </When>
        </div>
        <Hint>{t('account-profile.picture_hint')}</Hint>
      </div>
    </section>
  );
}

/** The picture as an address that the policy of the page allows. */
const addressOf = (picture: File) =>
  new Promise<string>((done) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result));
    reader.onerror = () => done('');
    reader.readAsDataURL(picture);
  });

/** Puts a file into a field, in the place of the chosen one. */
export function put(file: File, input: HTMLInputElement): void {
  const list = new DataTransfer();
  list.items.add(file);
  input.files = list.files;
}

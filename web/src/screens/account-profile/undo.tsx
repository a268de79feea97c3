import { useEffect, useRef, useState } from 'react';
import type { Boot } from '../../api/schema.gen';
import { PostForm } from '../../form/post-form';
import { useText } from '../../i18n/provider';
import { When } from '../../lib/template';
import { Button } from '../../ui/button';
import { Press } from '../own/press';
import { takeFormer } from './former';
import { put } from './picture';

const PATH = '/auth/account/profile';

type Former = ReturnType<typeof takeFormer>;

/** The picture before, on the page after its change only. */
export function useKept(boot: Boot): Former {
  const [former, setFormer] = useState<Former>();
  useEffect(() => {
    const kept = takeFormer(boot.session.id);
    if (boot.success) setFormer(kept);
  }, [boot]);
  return former;
}

/** Undoes the change before, of the profile or of the picture. It is on no later page. */
export function Undo({ boot, former }: { boot: Boot; former: Former }) {
  return (
    <When value={boot.next} otherwise={former ? <PictureBack boot={boot} former={former} /> : null}>
      <div className="undo">
        <Press boot={boot} action={`${PATH}/undo`}>
          {useText().t('account-profile.undo')}
        </Press>
      </div>
    </When>
  );
}

/** Gives the account the picture that this tab has kept, or none if there was none before. */
function PictureBack({ boot, former }: { boot: Boot; former: File | 'none' }) {
  const { t } = useText();
  const file = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (file.current && former !== 'none') put(former, file.current);
  }, [former]);
  if (former === 'none')
    return (
      <div className="undo">
        <Press boot={boot} action={`${PATH}/picture/remove`}>
          {t('account-profile.undo')}
        </Press>
      </div>
    );
  return (
    <div className="undo">
      <PostForm action={`${PATH}/picture`} encType="multipart/form-data">
        {(busy) => (
          <>
            <input type="hidden" name="account" value={boot.session.id} />
            <input type="file" name="picture" hidden ref={file} />
            <Button look="secondary" busy={busy}>
              {t('account-profile.undo')}
            </Button>
          </>
        )}
      </PostForm>
    </div>
  );
}

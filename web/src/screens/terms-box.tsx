import type { AcceptTerms, Boot } from '../api/schema.gen';
import { useText } from '../i18n/provider';
import { Split } from '../lib/split';
import { When } from '../lib/template';
import { CheckBox } from '../ui/check-box';

/** The box with which a visitor accepts the terms of use, where the operator has terms. */
export function TermsBox({ boot: { legal, values }, error }: { boot: Boot; error: string }) {
  const { t } = useText();
  const name: keyof AcceptTerms = 'terms';
  return (
    <When value={legal.terms_version}>
      <CheckBox name={name} value={legal.terms_version} ticked={values.terms} error={error}>
        <Split words={t('common.terms_label')} at="{link}">
          <a href={legal.terms} target="_blank" rel="noopener" title={t('common.terms_opens')}>
            {t('common.terms_link')}
          </a>
        </Split>
      </CheckBox>
    </When>
  );
}

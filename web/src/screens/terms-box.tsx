import type { AcceptTerms, Boot } from '../api/schema.gen';
import type { Trouble } from '../form/failure';
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

/**
 * Sends the form to its own page when the terms have changed since the page was loaded. The server
 * answers with the new version, and with all that was typed but the passwords.
 */
export function postWhenChanged({ code }: Trouble, form: HTMLFormElement): boolean {
  const changed = code === 'terms.changed';
  if (changed) form.submit();
  return changed;
}

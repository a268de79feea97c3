import type { Boot } from '../../api/schema.gen';
import { useText } from '../../i18n/provider';
import { ErrorSummary } from '../../ui/message';

/** The error of a native form, whose answer is this page again. */
export function Refused({ boot: { errors } }: { boot: Boot }) {
  const { t } = useText();
  const id = errors.request_id;
  return <ErrorSummary words={errors.form} requestId={{ id, words: t('common.request_id', { id }) }} />;
}

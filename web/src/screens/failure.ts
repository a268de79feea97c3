import type { Boot, FieldName } from '../api/boot';
import type { Failure } from '../api/problem';
import type { Text } from '../i18n/text';

/** A failure in words, for the summary and for the fields. */
export interface Trouble {
  form: string;
  /** The fault's code, for screens that change with it. */
  code: string;
  requestId: string;
  retryAfter: number;
  /** The same input may succeed when it is sent again. */
  again: boolean;
  fields: Record<FieldName, string>;
}

export const NO_FIELDS: Record<FieldName, string> = {
  email: '',
  password: '',
  confirm_password: '',
  code: '',
};

export const NO_TROUBLE: Trouble = {
  form: '',
  code: '',
  requestId: '',
  retryAfter: 0,
  again: false,
  fields: NO_FIELDS,
};

/** What the server found while it handled the form without script. */
export const troubleOfBoot = ({ errors }: Boot): Trouble => ({
  form: errors.form,
  code: errors.code,
  requestId: errors.request_id,
  retryAfter: errors.retry_after,
  again: false,
  fields: errors.fields,
});

export function troubleOf(failure: Failure, text: Text): Trouble {
  if (failure.kind === 'aborted') return NO_TROUBLE;
  if (failure.kind !== 'problem')
    return { ...NO_TROUBLE, form: text.t(`common.${failure.kind}`), again: true };

  const { code, params, fields, retry_after, request_id, status } = failure.problem;
  const words = text.fault(code, params, retry_after);
  const named = fields.filter((field) => field.name in NO_FIELDS);
  return {
    form:
      named.length > 0 && named.length === fields.length
        ? ''
        : (words ?? text.t('common.unknown', { code: code || `${status}` })),
    code,
    requestId: words && status < 500 ? '' : request_id,
    retryAfter: retry_after,
    again: status >= 500,
    fields: {
      ...NO_FIELDS,
      ...Object.fromEntries(
        named.map((f) => [
          f.name,
          text.fault(f.code, f.params) ?? text.t('common.unknown', { code: f.code }),
        ]),
      ),
    },
  };
}

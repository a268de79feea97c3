import type { Failure, Problem } from '../api/problem';
import type { Boot, FieldErrors } from '../api/schema.gen';
import type { Text } from '../i18n/text';

export type FieldName = keyof FieldErrors;

/** A failure in words, for the summary and for the fields. */
export interface Trouble<Field extends FieldName = FieldName> {
  form: string;
  /** The fault's code, for screens that change with it. */
  code: string;
  params: Problem['params'];
  requestId: string;
  retryAfter: number;
  /** The same input may succeed when it is sent again. */
  again: boolean;
  /** The server has refused the password because it is easy to guess. */
  weak: boolean;
  fields: Pick<FieldErrors, Field>;
}

export const NO_FIELDS: FieldErrors = {
  name: '',
  email: '',
  password: '',
  confirm_password: '',
  code: '',
  terms: '',
};

export const NO_TROUBLE: Trouble = {
  form: '',
  code: '',
  params: {},
  requestId: '',
  retryAfter: 0,
  again: false,
  weak: false,
  fields: NO_FIELDS,
};

/** The trouble that the server found when it handled the form without script. */
export const troubleOfBoot = ({ errors }: Boot): Trouble => ({
  form: errors.form,
  code: errors.code,
  params: {},
  requestId: errors.request_id,
  retryAfter: errors.retry_after,
  again: false,
  weak: false,
  fields: errors.fields,
});

/**
 * The trouble without the error of the field that is edited. Two passwords that
 * differ are an error of both fields.
 */
export function withoutFault(trouble: Trouble, { name, form }: HTMLInputElement): Trouble {
  const repeated = form?.elements.namedItem('confirm_password') as HTMLInputElement | null;
  const edited = [name, name === 'password' && repeated?.value ? 'confirm_password' : ''] as FieldName[];
  if (!edited.some((field) => trouble.fields[field])) return trouble;
  return {
    ...trouble,
    fields: { ...trouble.fields, ...Object.fromEntries(edited.map((field) => [field, ''])) },
  };
}

// Faults of a password that is easy to guess: the meter of its strength then says so, too.
const GUESSED = /^password\.(guessable|breached|contains_context)$/;

/** Faults of the whole request whose words belong under one field. */
const FIELD_OF: Record<string, FieldName> = {
  'code.wrong': 'code',
  'code.format': 'code',
  'code.required': 'code',
};

export function troubleOf(failure: Failure, text: Text): Trouble {
  if (failure.kind === 'problem') return troubleOfProblem(failure.problem, text);
  const retryAfter = 'retryAfter' in failure ? failure.retryAfter : 0;
  return { ...NO_TROUBLE, form: text.t(`common.${failure.kind}`), retryAfter, again: true };
}

function troubleOfProblem(problem: Problem, text: Text): Trouble {
  const { code, params, retry_after, request_id, status } = problem;
  const unknown = (name: string) => text.t('common.unknown', { code: name });
  const words = text.fault(code, params, retry_after);
  const about = FIELD_OF[code];
  const faults = about && problem.fields.length === 0 ? [{ name: about, code, params }] : problem.fields;
  const shown = faults.filter((fault) => fault.name in NO_FIELDS);
  const allShown = shown.length > 0 && shown.length === faults.length;
  return {
    form: allShown ? '' : (words ?? unknown(code)),
    code,
    params,
    requestId: words && status < 500 ? '' : request_id,
    retryAfter: retry_after,
    again: status >= 500,
    weak: shown.some((fault) => GUESSED.test(fault.code)),
    fields: {
      ...NO_FIELDS,
      ...Object.fromEntries(shown.map((f) => [f.name, text.fault(f.code, f.params) ?? unknown(f.code)])),
    },
  };
}

import { useRef } from 'react';
import type { Boot } from '../../api/schema.gen';
import { troubleOfBoot } from '../../form/failure';
import { useTrouble } from '../../form/use-trouble';
import { ErrorSummary } from '../../ui/message';

/** The error of a native form, whose answer is this page again. */
export const Refused = ({ boot }: { boot: Boot }) => (
  <ErrorSummary {...useTrouble(troubleOfBoot(boot), useRef(null)).summary} />
);

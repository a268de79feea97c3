import { useRef } from 'react';
import type { Boot } from '../../api/schema.gen';
import { useTrouble } from '../../form/use-trouble';
import { ErrorSummary } from '../../ui/message';

/** The error of a native form, whose answer is this page again. */
export const Refused = ({ boot }: { boot: Boot }) => (
  <ErrorSummary {...useTrouble(boot, useRef(null)).summary} />
);

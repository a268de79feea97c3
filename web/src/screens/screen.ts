import type { ReactNode } from 'react';
import type { Boot } from '../api/schema.gen';
import type { Text } from '../i18n/text';

/** One screen: its own document, so the title is asked for before anything is rendered. */
export interface Screen {
  title: (boot: Boot, text: Text) => string;
  View: (props: { boot: Boot }) => ReactNode;
}

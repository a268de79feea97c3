import type { ReactNode } from 'react';
import type { Boot } from '../api/schema.gen';
import type { Text } from '../i18n/text';

/** A screen. It is a document of its own, so its title is needed before it is rendered. */
export interface Screen {
  title: (boot: Boot, text: Text) => string;
  View: (props: { boot: Boot }) => ReactNode;
}

import type { ReactNode } from 'react';
import type { Boot, ForgotPassword } from '../api/schema.gen';
import { useForm } from '../form/use-form';
import { useText } from '../i18n/provider';
import { Button } from '../ui/button';
import { HiddenField } from '../ui/hidden-field';
import { Footer } from '../ui/layout';
import { Lead } from '../ui/lead';
import { AddressField } from './address-field';
import { Frame } from './frame';
import { useCarriedEmail } from './use-carried-email';

interface AskAddressProps {
  boot: Boot;
  path: '/auth/api/forgot-password' | '/auth/api/signin-code';
  title: string;
  lead: string;
  submit: string;
  footer: ReactNode;
}

/** A page that asks for the address to which a code is mailed. */
export function AskAddress({ boot, path, title, lead, submit, footer }: AskAddressProps) {
  const { t } = useText();
  useCarriedEmail(); // before useForm, which focuses the first empty field
  const form = useForm({ boot, path });

  return (
    <Frame boot={boot} title={title} form={form}>
      <Lead>{lead}</Lead>
      <form {...form.props}>
        <HiddenField<ForgotPassword> name="return_to" value={boot.return_to} />
        <AddressField
          label={t('common.email')}
          defaultValue={boot.values.email}
          error={form.trouble.fields.email}
          enterKeyHint="send"
        />
        <Button busy={form.busy} wait={form.wait}>
          {submit}
        </Button>
      </form>
      <Footer>{footer}</Footer>
    </Frame>
  );
}

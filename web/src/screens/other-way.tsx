import type { Boot, Forms } from '../api/schema.gen';
import { useForm } from '../form/use-form';
import { Button } from '../ui/button';
import { HiddenField } from '../ui/hidden-field';
import { Footer } from '../ui/layout';
import { ErrorSummary } from '../ui/message';

type Step = 'keep/drop' | 'protect/restart' | 'terms/refuse';

interface OtherWayProps {
  flow: Boot['flow'];
  /** The path of its form, below /auth/. */
  step: Step;
  children: string;
}

/** The button below a step for those who do not want to take it. */
export function OtherWay({ flow, step, children }: OtherWayProps) {
  const form = useForm({ path: `/auth/api/${step}` });
  return (
    <form {...form.props} action={`/auth/${step}?flow=${flow.id}`}>
      <ErrorSummary {...form.summary} />
      <HiddenField<Forms[`/auth/api/${Step}`]['in']> name="flow" value={flow.id} />
      <Footer>
        <Button look="quiet" busy={form.busy} wait={form.wait}>
          {children}
        </Button>
      </Footer>
    </form>
  );
}

// Shows what a question would send to the provider, after masking, and sends nothing.
import { Button, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useOperation, useOperationMutation } from '../../../api/use-operation.ts';
import { countOf } from '../../../lib/format.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { usePageDraft } from '../../../ui/draft.tsx';
import { typed } from '../../../ui/field.ts';
import { FormError } from '../../../ui/form-error.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { providerName } from './model-words.ts';
import classes from './models.module.css';

const MOST = 20_000;

export function PreviewPanel() {
  const providers = useOperation('listLlmProviders', {}, { staleMs: 60_000 });
  const [text, setText] = useState('');
  const preview = useOperationMutation('previewChat');
  const { events, guard } = usePageDraft(false);
  // Without a model nothing leaves, and there is nothing to show.
  if ((providers.data?.providers.length ?? 0) === 0) return null;
  const { data, error, isPending } = preview;
  const to = data && `${providerName(data.provider, providers.data?.providers)}, ${data.model}`;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    preview.mutate({ body: { messages: [{ role: 'user', content: text }] } });
  };
  return (
    <Panel title="What would leave" note="nothing is sent">
      <form className={classes.form} {...events} onSubmit={submit}>
        <Textarea
          label="A question or a statement"
          description="It is shown as the provider would get it: constants, secrets and, as configured, addresses masked."
          {...typed(text, setText)}
          maxLength={MOST}
          rows={3}
        />
        <div>
          <Button type="submit" variant="default" loading={isPending} disabled={text.trim() === ''}>
            Show
          </Button>
        </div>
        {guard}
      </form>
      <FormError error={error} />
      {data ? (
        <div className={classes.preview}>
          <p role="status">
            {data.masked.length === 0
              ? `To ${to}; nothing was masked.`
              : `To ${to}; masked: ${data.masked
                  .map(({ values, reason }) => `${countOf(values, 'value')} (${reason})`)
                  .join(', ')}.`}
          </p>
          <CodeBlock code={JSON.stringify(data.request, null, 2)} label="The request" />
        </div>
      ) : null}
    </Panel>
  );
}

// The messages of a channel: the text that somebody writes for each, and beside it, while it is written, what would be sent
// for a sample alert. Shown as text: nothing of it is run or drawn.
import { NativeSelect, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useOperation } from '../../../api/use-operation.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import forms from '../../../ui/form.module.css';
import { Notice } from '../../../ui/notice.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { refusalOf, TEMPLATES, type TemplateName } from './channel-draft.ts';
import classes from './channels.module.css';
import type { ChannelForm } from './use-channel-form.ts';

const MESSAGES: Record<TemplateName, { label: string; type: 'alert_fire' | 'alert_clear' | 'reminder' }> = {
  template_alert_fire: { label: 'An alert fires', type: 'alert_fire' },
  template_alert_clear: { label: 'An alert clears', type: 'alert_clear' },
  template_reminder: { label: 'A reminder', type: 'reminder' },
};
const TYPING_MS = 400;
const FOREVER_MS = 3_600_000;

export function TemplateFields({ form }: { form: ChannelForm }) {
  const { type, draft, written } = form;
  const wrong = TEMPLATES.find((name) => form.problems[name] !== undefined);
  if (type.template === undefined) return null;
  return (
    <>
      <NativeSelect
        label="Message"
        data={TEMPLATES.map((value) => ({ value, label: MESSAGES[value].label }))}
        value={written}
        onChange={(event) =>
          form.setWritten(TEMPLATES.find((name) => name === event.target.value) ?? 'template_alert_fire')
        }
      />
      <Textarea
        className={classes.code ?? ''}
        label="Template"
        description={`${type.template === 'json' ? 'JSON' : 'HTML'} with fields such as {{.AlertTitle}}. Empty: the built-in message, which also tells of several alerts at once.`}
        rows={8}
        resize="vertical"
        maxLength={65_536}
        spellCheck={false}
        value={draft.templates[written]}
        error={form.problems[written]}
        onChange={(event) =>
          form.change({ templates: { ...draft.templates, [written]: event.target.value } })
        }
      />
      {wrong !== undefined && wrong !== written ? (
        <p className={forms.fault}>
          {MESSAGES[wrong].label}: {form.problems[wrong]}
        </p>
      ) : null}
      <details className={classes.more}>
        <summary>Fields of templates</summary>
        <p className={classes.help}>
          {'{{.Field}}'} puts in a value, {'{{if .Field}}…{{else}}…{{end}}'} asks whether there is one. The
          fields are <code>{type.template_fields.join(' ')}</code>.
        </p>
      </details>
    </>
  );
}

/** What would be sent, of a sample. */
export function TemplatePreview({ form }: { form: ChannelForm }) {
  const { type, draft, written } = form;
  const [template] = useDebouncedValue(
    type.template === undefined ? '' : draft.templates[written],
    TYPING_MS,
  );
  const preview = useOperation(
    'previewChannelTemplate',
    {
      body: {
        channel_type: type.channel_type,
        notification_type: MESSAGES[written].type,
        ...(template === '' ? {} : { template }),
      },
    },
    { staleMs: FOREVER_MS, keepPrevious: true },
  );
  const { error } = preview;
  return (
    <Panel title="Preview" note={`${MESSAGES[written].label}, of a sample; nothing is sent`}>
      {error?.status === 400 ? (
        <Notice tone="bad" role="status">
          {refusalOf(error.message, []).words.replace(/^template /, 'The template ')}
        </Notice>
      ) : (
        <Query query={preview} what="the preview" lines={6}>
          {({ body, content_type }) => (
            <CodeBlock
              code={pretty(body, content_type)}
              label={content_type === 'text/html' ? 'HTML' : 'JSON'}
            />
          )}
        </Query>
      )}
    </Panel>
  );
}

/** The same JSON in lines. */
function pretty(body: string, contentType: string): string {
  if (contentType !== 'application/json') return body;
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

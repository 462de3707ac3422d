// The form of a channel: what it is called, where it leads, who is told by it, its reminders and its messages. Adding and
// editing share it. Guards: the first field that is wrong gets the cursor; what was typed stays whatever the server says.
import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, useCallback, useEffect, useRef } from 'react';
import { Link } from 'react-router';
import type { ApiError } from '../../../api/client.ts';
import { usePageDraft } from '../../../ui/draft.tsx';
import { ticked, typed } from '../../../ui/field.ts';
import { FormError } from '../../../ui/form-error.tsx';
import layout from '../../../ui/layout.module.css';
import { Notice } from '../../../ui/notice.tsx';
import { Panel } from '../../../ui/panel.tsx';
import classes from './channels.module.css';
import { MemberFields } from './member-fields.tsx';
import { TemplateFields, TemplatePreview } from './template-fields.tsx';
import type { ChannelForm } from './use-channel-form.ts';

function NameFields({ form }: { form: ChannelForm }) {
  const { draft, problems, change } = form;
  return (
    <>
      <TextInput
        label="Name"
        name="name"
        withAsterisk
        placeholder="On call"
        autoComplete="off"
        maxLength={255}
        error={problems.name}
        {...typed(draft.name, (name) => change({ name }))}
      />
      <TextInput
        label="Description"
        name="description"
        autoComplete="off"
        maxLength={4000}
        error={problems.description}
        {...typed(draft.description, (description) => change({ description }))}
      />
    </>
  );
}

function WhenFields({ form }: { form: ChannelForm }) {
  const { draft, problems, change } = form;
  return (
    <div className={classes.fields}>
      <div className={classes.checks}>
        <Checkbox
          label="On"
          description="When off, no messages are sent; pending ones stay queued."
          {...ticked(draft.enabled, (enabled) => change({ enabled }))}
        />
        <Checkbox
          label="Notify for all servers"
          description="The default of the estate. Routing can override it for groups, clusters and servers."
          {...ticked(draft.is_estate_default, (is_estate_default) => change({ is_estate_default }))}
        />
        <Checkbox
          label="Remind while an alert is active"
          description="No reminders after an acknowledgement."
          {...ticked(draft.reminder_enabled, (reminder_enabled) => change({ reminder_enabled }))}
        />
      </div>
      {draft.reminder_enabled || problems.reminder_interval_hours ? (
        <TextInput
          label="Hours between reminders"
          inputMode="numeric"
          autoComplete="off"
          maxLength={3}
          error={problems.reminder_interval_hours}
          {...typed(draft.reminder_interval_hours, (reminder_interval_hours) =>
            change({ reminder_interval_hours }),
          )}
        />
      ) : null}
    </div>
  );
}

export interface TypeChoice {
  name: string;
  title: string;
}

export interface ChannelSheetProps {
  form: ChannelForm;
  /** Absent for a stored channel, whose type cannot change. */
  types?: readonly TypeChoice[];
  submitLabel: string;
  error: ApiError | null;
  isSaved?: boolean;
  isPending: boolean;
  cancelPath: string;
  onSubmit: () => void;
}

/** The cursor goes to the first field that is wrong, once it is marked. */
function useFirstFault(error: ApiError | null) {
  const sheet = useRef<HTMLFormElement>(null);
  const show = useCallback(() => {
    requestAnimationFrame(() => sheet.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  }, []);
  useEffect(() => {
    if (error !== null) show();
  }, [error, show]);
  return { sheet, show };
}

export function ChannelSheet(props: ChannelSheetProps) {
  const { form, types, error } = props;
  const { sheet, show } = useFirstFault(error);
  const { events, guard } = usePageDraft(props.isPending);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (form.check()) props.onSubmit();
    else show();
  };
  return (
    <form ref={sheet} className={layout.stack} {...events} onSubmit={submit} noValidate autoComplete="off">
      <Panel title="Channel" note={form.type.description}>
        <div className={classes.fields}>
          {types ? (
            <NativeSelect
              label="Type"
              data={types.map(({ name, title }) => ({ value: name, label: title }))}
              {...typed(form.type.channel_type, form.chooseType)}
            />
          ) : null}
          <NameFields form={form} />
          <MemberFields form={form} />
        </div>
      </Panel>
      <Panel title="When to notify">
        <WhenFields form={form} />
      </Panel>
      {form.type.template === undefined ? null : (
        <Panel title="Messages">
          <div className={classes.fields}>
            <TemplateFields form={form} />
          </div>
        </Panel>
      )}
      <TemplatePreview form={form} />
      {guard}
      {form.rest === undefined ? null : <FormError error={error} />}
      {props.isSaved ? (
        <Notice tone="info" role="status">
          Saved. What waits for the channel is tried again now.
        </Notice>
      ) : null}
      <div className={layout.tools}>
        <Button type="submit" loading={props.isPending}>
          {props.submitLabel}
        </Button>
        <Button component={Link} to={props.cancelPath} variant="subtle">
          Cancel
        </Button>
      </div>
    </form>
  );
}

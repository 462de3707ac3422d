// The sheet that adding and editing share: fields at the left, the live test at the right; one under the other on
// narrow screens, with the button that saves after both.
import { Button } from '@mantine/core';
import { type FormEvent, type ReactNode, useId, useRef } from 'react';
import { Link } from 'react-router';
import { useOperation } from '../../../api/use-operation.ts';
import { usePageDraft } from '../../../ui/draft.tsx';
import forms from '../../../ui/form.module.css';
import layout from '../../../ui/layout.module.css';
import { Panel } from '../../../ui/panel.tsx';
import {
  ConnectionFields,
  FormFailure,
  MoreFields,
  PasteField,
  type SourceFacts,
} from './connection-fields.tsx';
import classes from './connection-form.module.css';
import type { FormValues, Verdict } from './form-values.ts';
import { TestPanel } from './test-panel.tsx';
import { useConnectionForm } from './use-connection-form.ts';

export interface ConnectionFormProps {
  initial: FormValues;
  /** The stored connection that is edited. */
  id?: number;
  /** Whether a password is stored for it. */
  hasPassword?: boolean | undefined;
  /** How fetching the password from its source went last. */
  sourceReading?: SourceFacts['reading'];
  mayShare: boolean;
  submitLabel: (verdict: Verdict, values: FormValues) => string;
  failure: string | undefined;
  busy: boolean;
  cancelPath: string;
  onSubmit: (values: FormValues) => void;
  /** Further panels under the form. */
  children?: ReactNode;
}

export function ConnectionFormSheet(props: ConnectionFormProps) {
  const form = useConnectionForm(props);
  // Those who may not list them see the name that is stored.
  const sources = useOperation('listPasswordSources', {}, { enabled: props.mayShare });
  const formId = useId();
  const sheet = useRef<HTMLFormElement>(null);
  const { events, guard } = usePageDraft(props.busy);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const values = form.check();
    if (values) return props.onSubmit(values);
    // The marks appear with the next paint; then the first of them gets the cursor.
    requestAnimationFrame(() => sheet.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  return (
    <div className={classes.columns}>
      <form
        ref={sheet}
        id={formId}
        className={classes.form}
        {...events}
        onSubmit={submit}
        noValidate
        autoComplete="off"
      >
        <Panel title="Connection">
          <PasteField form={form} />
          <ConnectionFields
            form={form}
            stored={props.hasPassword === true}
            sources={sources.data ?? []}
            reading={props.sourceReading}
          />
          <div className={classes.rest}>
            <MoreFields form={form} mayShare={props.mayShare} />
          </div>
        </Panel>
      </form>
      <div className={classes.test}>
        <TestPanel form={form} />
      </div>
      <div className={layout.stack}>
        {guard}
        {props.failure === undefined ? null : <FormFailure message={props.failure} />}
        <div className={forms.actions}>
          <Button
            type="submit"
            form={formId}
            loading={props.busy}
            variant={form.verdict === 'failed' ? 'default' : 'filled'}
          >
            {props.submitLabel(form.verdict, form.values)}
          </Button>
          <Button component={Link} to={props.cancelPath} variant="subtle">
            Cancel
          </Button>
        </div>
        {props.children}
      </div>
    </div>
  );
}

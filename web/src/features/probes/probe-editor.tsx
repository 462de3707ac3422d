// The dialog in which a probe is set: where it shall hold, what is set above and below it, and the three values. What
// was typed stays when the server refuses it.
import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { everyText } from '../../lib/time.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { valuesText } from './level-words.ts';
import classes from './probe-editor.module.css';
import { type Draft, draftOf, leastSeconds, problemsOf, sameValues, type Values } from './probe-values.ts';
import { type SettingScope, useSaving } from './use-saving.ts';

export interface EditedProbe {
  name: string;
  description: string;
  built_in: Values;
  /** Where it can be set, from the most specific to the most general. */
  scopes: readonly SettingScope[];
  /** What is set, from the most general to the most specific; the last one is in force. */
  chain: readonly { title: string; values: Values }[];
}

function Chain({ chain }: { chain: EditedProbe['chain'] }) {
  return (
    <ol className={classes.chain} aria-label="Settings by level, the last one is in force">
      {chain.map(({ title, values }, at) => (
        <li key={title} className={classes.link} data-holds={at === chain.length - 1 || undefined}>
          <span className={classes.level}>{title}</span>
          <span>{valuesText(values)}</span>
          {at === chain.length - 1 ? <span className={classes.holds}>in force</span> : null}
        </li>
      ))}
    </ol>
  );
}

interface FieldsProps {
  draft: Draft;
  least: number;
  problems: ReturnType<typeof problemsOf>;
  onChange: (next: Partial<Draft>) => void;
}

function Fields({ draft, least, problems, onChange }: FieldsProps) {
  const seconds = Number(draft.interval);
  return (
    <>
      <Checkbox
        label="Collect it"
        checked={draft.is_enabled}
        onChange={(event) => onChange({ is_enabled: event.target.checked })}
      />
      <div className={classes.pair}>
        <TextInput
          label="Interval in seconds"
          description={Number.isInteger(seconds) && seconds > 0 ? everyText(seconds) : `${least} to 86,400`}
          inputMode="numeric"
          maxLength={9}
          value={draft.interval}
          error={problems.interval}
          onChange={(event) => onChange({ interval: event.target.value })}
        />
        <TextInput
          label="Retention in days"
          description="1 to 3,650; coarser samples may stay longer"
          inputMode="numeric"
          maxLength={9}
          value={draft.retention}
          error={problems.retention}
          onChange={(event) => onChange({ retention: event.target.value })}
        />
      </div>
    </>
  );
}

function ProbeForm({ probe, onClose }: { probe: EditedProbe; onClose: () => void }) {
  const [chosen, setChosen] = useState(0);
  const scope = probe.scopes[chosen] ?? probe.scopes[0];
  const initial = draftOf(scope?.set ?? scope?.inherited ?? probe.built_in);
  const [draft, setDraft] = useState(initial);
  const [tried, setTried] = useState(false);
  const { save, remove, isPending, error } = useSaving(probe.name, onClose);
  if (!scope) return null;
  const least = leastSeconds(probe.built_in);
  const problems = problemsOf(draft, least);
  const choose = (index: number) => {
    const next = probe.scopes[index];
    if (!next) return;
    setChosen(index);
    setDraft(draftOf(next.set ?? next.inherited));
    setTried(false);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(problems).length === 0) save(scope, draft, initial);
  };
  const isSet = scope.set !== undefined && !(scope.key === 'global' && sameValues(scope.set, probe.built_in));
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <p className={classes.description}>{probe.description}</p>
      <Chain chain={probe.chain} />
      <FormError error={error} />
      {probe.scopes.length > 1 ? (
        <NativeSelect
          label="Change it for"
          value={scope.key}
          data={probe.scopes.map(({ key, title }) => ({ value: key, label: title }))}
          onChange={(event) => choose(probe.scopes.findIndex(({ key }) => key === event.target.value))}
        />
      ) : null}
      <Fields
        draft={draft}
        least={least}
        problems={tried ? problems : {}}
        onChange={(next) => setDraft((before) => ({ ...before, ...next }))}
      />
      <div className={classes.actions}>
        <Button type="submit" loading={isPending}>
          Save
        </Button>
        {isSet ? (
          <Button variant="default" onClick={() => remove(scope)} disabled={isPending}>
            {scope.key === 'global' ? 'Reset to the default' : 'Remove this setting'}
          </Button>
        ) : null}
        <Button variant="subtle" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

export function ProbeEditor({ probe, onClose }: { probe: EditedProbe | undefined; onClose: () => void }) {
  return (
    <Dialog
      title={`Change ${probe?.name ?? 'a probe'}`}
      opened={probe !== undefined}
      onClose={onClose}
      size="lg"
    >
      {probe ? <ProbeForm key={probe.name} probe={probe} onClose={onClose} /> : null}
    </Dialog>
  );
}

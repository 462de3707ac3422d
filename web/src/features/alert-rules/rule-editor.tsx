// The dialog in which an alert rule is set: for which servers, what is set above and below it, and the four values. What was
// typed stays when the server refuses it.
import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { formatValue } from '../../ui/charts/values.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { BacktestPreview } from './backtest-preview.tsx';
import { Learned } from './learned.tsx';
import {
  type Draft,
  draftOf,
  OPERATOR_WORDS,
  OPERATORS,
  type RuleAt,
  SEVERITIES,
  SEVERITY_WORDS,
  THRESHOLD_FAULT,
  thresholdOf,
  valuesWords,
} from './rule-values.ts';
import classes from './rules.module.css';
import { useSaving } from './use-rules.ts';

function Chain({ chain, unit }: Pick<RuleAt, 'chain'> & { unit: string | null }) {
  return (
    <ol className={classes.chain} aria-label="Settings by level, the last one is in force">
      {chain.map(({ title, values }, at) => (
        <li key={title} className={classes.link} data-holds={at === chain.length - 1 || undefined}>
          <span className={classes.level}>{title}</span>
          <span>{valuesWords(values, unit)}</span>
          {at === chain.length - 1 ? <span className={classes.holds}>in force</span> : null}
        </li>
      ))}
    </ol>
  );
}

interface FieldsProps {
  draft: Draft;
  unit: string | null;
  fault: string | undefined;
  onChange: (next: Partial<Draft>) => void;
}

const UNITS: Readonly<Record<string, string>> = { percent: 'in percent', count: '', '': '' };

function thresholdNote(draft: Draft, unit: string | null): string {
  const value = thresholdOf(draft);
  const named = unit ?? '';
  const words = UNITS[named] ?? `in ${named}`;
  return [words, value === undefined ? undefined : formatValue(value, named)]
    .filter((part) => part !== undefined && part !== '')
    .join(': ');
}

function Fields({ draft, unit, fault, onChange }: FieldsProps) {
  return (
    <>
      <Checkbox
        label="Raise alerts"
        checked={draft.is_enabled}
        onChange={(event) => onChange({ is_enabled: event.target.checked })}
      />
      <div className={classes.three}>
        <NativeSelect
          label="When it is"
          description="compared with the threshold"
          data={OPERATORS.map((value) => ({ value, label: OPERATOR_WORDS[value] }))}
          value={draft.operator}
          onChange={(event) =>
            onChange({ operator: OPERATORS.find((one) => one === event.target.value) ?? '>' })
          }
        />
        <TextInput
          label="Threshold"
          description={thresholdNote(draft, unit) || 'a number'}
          inputMode="decimal"
          autoComplete="off"
          maxLength={30}
          value={draft.threshold}
          error={fault}
          onChange={(event) => onChange({ threshold: event.target.value })}
        />
        <NativeSelect
          label="Severity"
          description="of its alerts"
          data={SEVERITIES.map((value) => ({ value, label: SEVERITY_WORDS[value] }))}
          value={draft.severity}
          onChange={(event) =>
            onChange({ severity: SEVERITIES.find((one) => one === event.target.value) ?? 'warning' })
          }
        />
      </div>
    </>
  );
}

function RuleForm({ at, onClose }: { at: RuleAt; onClose: () => void }) {
  const { rule, chain, places } = at;
  const [key, setKey] = useState(places[0]?.key);
  const place = places.find((one) => one.key === key) ?? places[0];
  const [draft, setDraft] = useState(() => draftOf(place?.set ?? place?.inherited ?? at.inForce.values));
  const [tried, setTried] = useState(false);
  const { save, remove, isPending, error } = useSaving(rule, onClose);
  if (!place) return null;
  const threshold = thresholdOf(draft);
  const choose = (next: string) => {
    const chosen = places.find((one) => one.key === next);
    if (!chosen) return;
    setKey(next);
    setDraft(draftOf(chosen.set ?? chosen.inherited));
    setTried(false);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (threshold !== undefined) save(place, { ...draft, threshold });
  };
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <p className={classes.meaning}>{rule.description}</p>
      <Chain chain={chain} unit={rule.metric_unit} />
      <FormError error={error} />
      {places.length > 1 ? (
        <NativeSelect
          label="Change it for"
          value={place.key}
          data={places.map((one) => ({ value: one.key, label: one.title }))}
          onChange={(event) => choose(event.target.value)}
        />
      ) : null}
      <Fields
        draft={draft}
        unit={rule.metric_unit}
        fault={tried && threshold === undefined ? THRESHOLD_FAULT : undefined}
        onChange={(next) => setDraft((before) => ({ ...before, ...next }))}
      />
      <BacktestPreview rule={rule} place={place} draft={draft} />
      <Learned rule={rule} place={place} />
      <div className={classes.actions}>
        <Button type="submit" loading={isPending}>
          Save
        </Button>
        {place.set ? (
          <Button variant="default" onClick={() => remove(place)} disabled={isPending}>
            {place.scope ? 'Remove this setting' : 'Reset to the default'}
          </Button>
        ) : null}
        <Button variant="subtle" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

export function RuleEditor({ at, onClose }: { at: RuleAt | undefined; onClose: () => void }) {
  return (
    <Dialog
      title={`Change ${at?.rule.name ?? 'a rule'}`}
      opened={at !== undefined}
      onClose={onClose}
      size="lg"
    >
      {at ? <RuleForm key={at.rule.id} at={at} onClose={onClose} /> : null}
    </Dialog>
  );
}

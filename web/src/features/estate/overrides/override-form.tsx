// The form in which a rule or a probe is set: for which servers, what is set above and below it, and its values. What was
// typed stays when the server refuses it.
import { Button, NativeSelect } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { typed } from '../../../ui/field.ts';
import { FormButtons } from '../../../ui/form-end.tsx';
import { FormError } from '../../../ui/form-error.tsx';
import layout from '../../../ui/layout.module.css';
import classes from './overrides.module.css';
import type { Saving } from './saving.ts';
import type { Level, Setting } from './scopes.ts';

interface ChainProps<Values> {
  chain: readonly Level<Values>[];
  words: (values: Values) => string;
}

function Chain<Values>({ chain, words }: ChainProps<Values>) {
  return (
    <ol className={classes.chain} aria-label="Settings by level, the last one is in force">
      {chain.map(({ title, values }, at) => (
        <li key={title} className={classes.link} data-holds={at === chain.length - 1 || undefined}>
          <span className={classes.level}>{title}</span>
          <span>{words(values)}</span>
          {at === chain.length - 1 ? <span className={classes.holds}>in force</span> : null}
        </li>
      ))}
    </ol>
  );
}

/** What the fields are given. */
export interface Edited<Where, Draft> {
  where: Where;
  draft: Draft;
  /** Saving was tried with this draft: problems are shown. */
  tried: boolean;
  onChange: (next: Partial<Draft>) => void;
}

export interface OverrideFormProps<Values, Where extends Setting<Values>, Draft extends object>
  extends ChainProps<Values> {
  description: string;
  /** From the most specific to the most general. */
  places: readonly [Where, ...Where[]];
  draftOf: (values: Values) => Draft;
  /** False: something typed cannot be sent. */
  isValid: (draft: Draft) => boolean;
  saving: Saving<Where, Draft>;
  onClose: () => void;
  children: (edited: Edited<Where, Draft>) => ReactNode;
}

function useEdited<Values, Where extends Setting<Values>, Draft extends object>({
  places,
  draftOf,
}: Pick<OverrideFormProps<Values, Where, Draft>, 'places' | 'draftOf'>) {
  const [key, setKey] = useState(places[0].key);
  const where = places.find((one) => one.key === key) ?? places[0];
  const initial = draftOf(where.set ?? where.inherited);
  const [draft, setDraft] = useState(initial);
  const [tried, setTried] = useState(false);
  const choose = (next: string) => {
    const chosen = places.find((one) => one.key === next);
    if (!chosen) return;
    setKey(next);
    setDraft(draftOf(chosen.set ?? chosen.inherited));
    setTried(false);
  };
  const onChange = (next: Partial<Draft>) => setDraft((before) => ({ ...before, ...next }));
  return { where, initial, draft, tried, setTried, choose, onChange };
}

export function OverrideForm<Values, Where extends Setting<Values>, Draft extends object>(
  props: OverrideFormProps<Values, Where, Draft>,
) {
  const { description, chain, words, places, isValid, saving, onClose, children } = props;
  const { where, initial, draft, tried, setTried, choose, onChange } = useEdited(props);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (isValid(draft)) saving.save(where, draft, initial);
  };
  return (
    <form className={layout.stack} onSubmit={submit} noValidate>
      <p className={classes.description}>{description}</p>
      <Chain chain={chain} words={words} />
      <FormError error={saving.error} />
      {places.length > 1 ? (
        <NativeSelect
          label="Change it for"
          data={places.map(({ key, title }) => ({ value: key, label: title }))}
          {...typed(where.key, choose)}
        />
      ) : null}
      {children({ where, draft, tried, onChange })}
      <FormButtons verb="Save" isPending={saving.isPending} onCancel={onClose}>
        {where.set === undefined ? null : (
          <Button variant="default" onClick={() => saving.remove(where)} disabled={saving.isPending}>
            {where.key === 'global' ? 'Reset to the default' : 'Remove this setting'}
          </Button>
        )}
      </FormButtons>
    </form>
  );
}

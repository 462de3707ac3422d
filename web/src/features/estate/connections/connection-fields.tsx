// The fields of a connection, in the order one thinks of them.
import { Checkbox, NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import type { Connection } from '../../../api/types.ts';
import layout from '../../../ui/layout.module.css';
import { Notice } from '../../../ui/notice.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import classes from './connection-form.module.css';
import { type Field, SSL_CHOICES } from './form-values.ts';
import type { ConnectionForm } from './use-connection-form.ts';

type PasswordSources = OperationTypes['listPasswordSources']['result'];
type TextField = Exclude<Field, 'is_shared' | 'is_monitored' | 'ssl_mode' | 'password_source'>;

function useTextProps(form: ConnectionForm) {
  return (name: TextField, maxLength = 255) => ({
    name,
    maxLength,
    value: form.values[name],
    error: form.problems[name],
    autoComplete: 'off',
    spellCheck: false,
    onChange: (event: { target: { value: string } }) => form.change(name, event.target.value),
  });
}

/** So many letters at once were pasted, dropped or filled in, not typed. */
const AT_ONCE = 8;

export function PasteField({ form }: { form: ConnectionForm }) {
  const [text, setText] = useState('');
  /** Empties the field once its content stands below, so that no password stays readable. */
  const take = (next: string) => setText(form.paste(next) === 'taken' ? '' : next);
  return (
    <div className={classes.paste}>
      <TextInput
        label="Connection URL"
        description="Paste one here and the fields below are filled; nothing is sent before you test or save."
        placeholder="postgres://role:password@db1.example.com:5432/postgres"
        autoComplete="off"
        spellCheck={false}
        maxLength={8192}
        value={text}
        error={form.pasteProblem}
        onChange={(event) => {
          const next = event.target.value;
          if (next.length - text.length >= AT_ONCE) take(next);
          else setText(next);
        }}
        onBlur={() => take(text)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || text === '') return;
          event.preventDefault();
          take(text);
        }}
      />
      {form.leftOut.length > 0 && (
        <p className={classes.leftOut} role="status">
          Left out, as Matriarch has no use for it: {form.leftOut.join(', ')}.
        </p>
      )}
    </div>
  );
}

function AddressFields({ form }: { form: ConnectionForm }) {
  const text = useTextProps(form);
  const pasteInto = (event: { clipboardData: DataTransfer; preventDefault: () => void }) => {
    if (form.paste(event.clipboardData.getData('text')) !== 'nothing') event.preventDefault();
  };
  return (
    <>
      <div className={classes.pair} data-wide="first">
        <TextInput label="Host" placeholder="db1.example.com" {...text('host')} onPaste={pasteInto} />
        <TextInput label="Port" inputMode="numeric" {...text('port', 5)} />
      </div>
      <TextInput
        label="Database"
        description="Where Matriarch signs in first; the others are visited with the same role."
        {...text('database_name')}
      />
    </>
  );
}

export interface SourceFacts {
  /** Those that the settings of the server declare. */
  sources: PasswordSources;
  /** How fetching it went last, of a stored connection. */
  reading: Connection['password_source_reading'];
}

function ReadingFacts({ reading }: Pick<SourceFacts, 'reading'>) {
  if (!reading) return 'The settings of the server declare these sources.';
  if (reading.problem !== null) return `It gave no password the last time: ${reading.problem}.`;
  if (reading.read_at === null) return 'It has not been asked for a password yet.';
  return (
    <>
      It last gave a password <RelativeTime at={reading.read_at} />.
    </>
  );
}

/** Only where there is something to choose. */
function SourceField({ form, sources, reading }: SourceFacts & { form: ConnectionForm }) {
  const chosen = form.values.password_source;
  const others = chosen === '' || sources.some(({ name }) => name === chosen) ? [] : [chosen];
  if (sources.length + others.length === 0) return null;
  const choices = [
    { value: '', label: 'typed in above' },
    ...sources.map(({ name, kind, hosts }) => ({
      value: name,
      label: `${name} (${kind}${hosts.length === 0 ? '' : ` for ${hosts.join(', ')}`})`,
    })),
    ...others.map((name) => ({ value: name, label: name })),
  ];
  const isStored = chosen !== '' && chosen === form.initialSource;
  return (
    <NativeSelect
      label="Password from"
      name="password_source"
      description={<ReadingFacts reading={isStored ? reading : undefined} />}
      data={choices}
      value={chosen}
      onChange={(event) => form.change('password_source', event.target.value)}
    />
  );
}

export function ConnectionFields({
  form,
  stored,
  sources,
  reading,
}: SourceFacts & { form: ConnectionForm; stored: boolean }) {
  const text = useTextProps(form);
  return (
    <div className={layout.fields}>
      <AddressFields form={form} />
      <div className={classes.pair}>
        <TextInput label="Role" placeholder="matriarch_monitor" {...text('username')} />
        {form.values.password_source === '' ? (
          <PasswordInput
            label="Password"
            placeholder={stored ? 'unchanged' : 'none'}
            {...text('password', 4096)}
            autoComplete="new-password"
          />
        ) : null}
      </div>
      <SourceField form={form} sources={sources} reading={reading} />
      <NativeSelect
        label="Encryption"
        name="ssl_mode"
        data={SSL_CHOICES}
        value={form.values.ssl_mode}
        onChange={(event) => {
          const chosen = SSL_CHOICES.find((choice) => choice.value === event.target.value);
          if (chosen) form.change('ssl_mode', chosen.value);
        }}
      />
      <TextInput
        label="Name"
        description="Display name. Defaults to the grey text."
        placeholder={form.suggestedName}
        {...text('name')}
      />
    </div>
  );
}

export function MoreFields({ form, mayShare }: { form: ConnectionForm; mayShare: boolean }) {
  const text = useTextProps(form);
  const more = ['ssl_root_cert_path', 'ssl_cert_path', 'ssl_key_path', 'node_exporter_url'] as const;
  const used = more.some((field) => form.values[field] !== '' || form.problems[field] !== undefined);
  return (
    <>
      <TextInput label="Description" placeholder="Orders, Frankfurt" {...text('description', 4000)} />
      <TextInput
        label="Tags"
        description="Words or key=value pairs, separated by commas. The estate is searched by them."
        placeholder="production, team=orders"
        {...text('tags', 2000)}
      />
      <details className={classes.more} open={used || undefined}>
        <summary>Certificates and host facts</summary>
        <div className={layout.fields}>
          <TextInput
            label="Root certificate"
            description="Path of a file on the machine where Matriarch runs, as for the next two."
            {...text('ssl_root_cert_path', 4096)}
          />
          <TextInput label="Client certificate" {...text('ssl_cert_path', 4096)} />
          <TextInput label="Client key" {...text('ssl_key_path', 4096)} />
          <TextInput
            label="node_exporter"
            description="Where processor, memory and disks are read when the server runs on another machine."
            placeholder="http://db1.example.com:9100/metrics"
            {...text('node_exporter_url', 2048)}
          />
        </div>
      </details>
      <div className={classes.checks}>
        <Checkbox
          label="Monitor this server"
          checked={form.values.is_monitored}
          onChange={(event) => form.change('is_monitored', event.target.checked)}
        />
        <Checkbox
          label="Share with all users"
          checked={form.values.is_shared}
          disabled={!mayShare}
          onChange={(event) => form.change('is_shared', event.target.checked)}
        />
      </div>
    </>
  );
}

export function FormFailure({ message }: { message: string }) {
  return (
    <Notice tone="bad" role="alert">
      {message}
    </Notice>
  );
}

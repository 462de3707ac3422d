// The fields that configure a channel, made from what the API says of its type: name, kind, help, whether it is needed and
// whether it is a secret. Guards: a stored secret is never shown; an empty field keeps it, and only a tick forgets it.
import { Button, Checkbox, NativeSelect, PasswordInput, TextInput } from '@mantine/core';
import forms from '../../../ui/form.module.css';
import { AddIcon, CloseIcon } from '../../../ui/icons.ts';
import { isShown, isStored } from './channel-draft.ts';
import { choiceWords, helpOf, type Member, memberWords } from './channel-words.ts';
import classes from './channels.module.css';
import type { ChannelForm } from './use-channel-form.ts';

interface FieldProps {
  form: ChannelForm;
  member: Member;
}

const LONGEST = 4096;
const STORED_FOR_ADDRESS =
  'Stored. Left empty it stays as it is; it goes only to the address it was entered for.';
/** What is sent nowhere. */
const STORED: Readonly<Record<string, string>> = { signing_secret: 'Stored. Left empty it stays as it is.' };

/** What every field of a member has in common. */
function common({ form, member }: FieldProps) {
  const { name, required } = member;
  const help = helpOf(member, form.draft.members.auth_type);
  const problem = form.problems[name];
  return {
    name,
    label: memberWords(name),
    withAsterisk: required,
    ...(help === '' ? {} : { description: help }),
    ...(problem === undefined ? {} : { error: problem }),
  };
}

function SecretField({ form, member }: FieldProps) {
  const { name, required } = member;
  const { draft, channel } = form;
  const has = isStored(channel, member);
  const isCleared = draft.cleared.includes(name);
  const { description, ...rest } = common({ form, member });
  const storing = has ? (STORED[name] ?? STORED_FOR_ADDRESS) : 'Never shown again once it is saved.';
  return (
    <div className={classes.secret}>
      <PasswordInput
        {...rest}
        description={[description, storing].filter(Boolean).join(' ')}
        placeholder={has ? (isCleared ? 'will be forgotten' : 'unchanged') : ''}
        autoComplete="new-password"
        spellCheck={false}
        maxLength={LONGEST}
        value={draft.members[name] ?? ''}
        onChange={(event) => form.changeMember(name, event.target.value)}
      />
      {has && !required ? (
        <Checkbox
          size="xs"
          label={`Forget what is stored as ${memberWords(name).toLowerCase()}`}
          checked={isCleared}
          disabled={(draft.members[name] ?? '') !== ''}
          onChange={(event) => form.clear(name, event.target.checked)}
        />
      ) : null}
    </div>
  );
}

function HeaderRow({ form, header }: { form: ChannelForm; header: ChannelForm['draft']['headers'][number] }) {
  const { key, name, value, isStored: has } = header;
  const named = name.trim() === '' ? 'the new header' : name.trim();
  return (
    <div className={classes.header}>
      <TextInput
        label="Name"
        placeholder="X-Team"
        autoComplete="off"
        spellCheck={false}
        maxLength={128}
        value={name}
        readOnly={has}
        onChange={(event) => form.changeHeader(key, { name: event.target.value })}
      />
      <PasswordInput
        label="Value"
        placeholder={has ? 'unchanged' : ''}
        autoComplete="new-password"
        spellCheck={false}
        maxLength={LONGEST}
        value={value}
        onChange={(event) => form.changeHeader(key, { value: event.target.value })}
      />
      <Button
        variant="default"
        aria-label={`Remove ${named}`}
        leftSection={<CloseIcon size={14} />}
        onClick={() => form.removeHeader(key)}
      >
        Remove
      </Button>
    </div>
  );
}

function HeadersField({ form, member }: FieldProps) {
  const { error } = common({ form, member });
  return (
    <fieldset className={classes.headers} aria-invalid={error ? true : undefined} tabIndex={-1}>
      <legend>Headers</legend>
      <span className={classes.help}>Sent with every message. Their values are never shown again.</span>
      {form.draft.headers.map((header) => (
        <HeaderRow key={header.key} form={form} header={header} />
      ))}
      {error === undefined ? null : <p className={forms.fault}>{error}</p>}
      <Button
        className={classes.add}
        size="xs"
        variant="default"
        leftSection={<AddIcon size={14} />}
        onClick={form.addHeader}
      >
        Add a header
      </Button>
    </fieldset>
  );
}

function PlainField({ form, member }: FieldProps) {
  const { name, kind, choices = [], default: usual } = member;
  const value = form.draft.members[name] ?? '';
  const shared = common({ form, member });
  if (kind === 'boolean')
    return (
      <Checkbox
        name={name}
        label={shared.label}
        description={shared.description}
        error={shared.error}
        checked={value === 'true'}
        onChange={(event) => form.changeMember(name, String(event.target.checked))}
      />
    );
  if (kind === 'choice')
    return (
      <NativeSelect
        {...shared}
        data={choices.map((choice) => ({ value: choice, label: choiceWords(choice) }))}
        value={value}
        onChange={(event) => form.changeMember(name, event.target.value)}
      />
    );
  return (
    <TextInput
      {...shared}
      placeholder={usual ?? ''}
      autoComplete="off"
      spellCheck={false}
      maxLength={kind === 'integer' ? 9 : LONGEST}
      {...(kind === 'integer' ? { inputMode: 'numeric' as const } : {})}
      value={value}
      onChange={(event) => form.changeMember(name, event.target.value)}
    />
  );
}

function MemberField(props: FieldProps) {
  const { kind, is_secret } = props.member;
  if (kind === 'headers') return <HeadersField {...props} />;
  return is_secret ? <SecretField {...props} /> : <PlainField {...props} />;
}

export function MemberFields({ form }: { form: ChannelForm }) {
  const shown = form.type.members.filter((member) => isShown(member, form.draft, form.channel));
  return (
    <div className={classes.fields}>
      {shown.map((member) => (
        <MemberField key={member.name} form={form} member={member} />
      ))}
    </div>
  );
}

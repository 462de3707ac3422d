// The form while it is filled in: its values, and what the password in it was given for. Guards: a password that was
// pasted, typed or stored for one server is never sent to another one, and what a pasted text filled in goes with the
// next one. Pure.
import type { ConnectionFields } from '../../../lib/connection-url.ts';
import { type Field, type FormValues, type Problems, problemsOf, withPasted } from './form-values.ts';
import { type Whereabouts, whyAgain } from './given-for.ts';

export interface FormState {
  initial: FormValues;
  values: FormValues;
  /** A stored password, which the server uses while the field is empty. */
  hasStored: boolean;
  /** What stood in the other fields when the password was typed or pasted, or when it was sent. */
  givenFor: Whereabouts | undefined;
  /** The fields that the last pasted text filled in. */
  pasted: Partial<FormValues>;
}

export function startForm(initial: FormValues, hasStored: boolean): FormState {
  return { initial, values: initial, hasStored, givenFor: undefined, pasted: {} };
}

export function changeField<K extends Field>(state: FormState, field: K, value: FormValues[K]): FormState {
  const values = { ...state.values, [field]: value };
  if (field === 'password_source')
    return { ...state, values: { ...values, password: '' }, givenFor: undefined };
  if (field !== 'password') return { ...state, values };
  // How well it is protected is chosen below the password: that counts from the first time it is sent.
  const open = { ssl_mode: 'disable', ssl_root_cert_path: '' } as const;
  return { ...state, values, givenFor: values.password === '' ? undefined : { ...values, ...open } };
}

/** The fields as they were before the last text was pasted, unless somebody changed them since. */
function withoutPasted({ initial, values, pasted }: FormState): FormValues {
  const fields = Object.entries(pasted).filter(([field, value]) => Reflect.get(values, field) === value);
  return { ...values, ...Object.fromEntries(fields.map(([field]) => [field, Reflect.get(initial, field)])) };
}

/** Fills in what was pasted. The password that was there goes, whoever gave it; nothing is sent. */
export function pasteInto(state: FormState, fields: ConnectionFields): FormState {
  const base = { ...withoutPasted(state), password: '' };
  const pastedValues = withPasted(base, fields);
  const values = { ...pastedValues, ...(pastedValues.password !== '' && { password_source: '' }) };
  const pasted = Object.fromEntries(
    Object.entries(values).filter(([field, value]) => Reflect.get(base, field) !== value),
  );
  return { ...state, values, pasted, givenFor: values.password === '' ? undefined : values };
}

/** The values are sent: a typed password now belongs to where they lead. */
export function sent(state: FormState): FormState {
  return { ...state, givenFor: state.values.password === '' ? undefined : state.values };
}

/** Why the password is asked for again, as a sentence; undefined when it is not. */
export function passwordAgain({ initial, values, hasStored, givenFor }: FormState): string | undefined {
  // The server judges where a source may be used.
  if (values.password_source !== '') return undefined;
  const typed = values.password !== '';
  const given = typed ? givenFor : hasStored ? initial : undefined;
  const why = given && whyAgain(given, values);
  if (why === undefined) return undefined;
  return `Type the password again: ${why}${typed ? '' : ', and the stored one is sent nowhere else'}.`;
}

/** Everything that keeps the values from being sent. */
export function problemsIn(state: FormState): Problems {
  const again = passwordAgain(state);
  return { ...problemsOf(state.values), ...(again === undefined ? {} : { password: again }) };
}

// What a session was opened with, in words.
const WAYS: Readonly<Record<string, string>> = {
  password: 'Password',
  password_and_code: 'Password and code',
  password_and_recovery_code: 'Password and recovery code',
  password_and_passkey: 'Password and passkey',
  passkey: 'Passkey',
  link: 'One-time link',
  proxy: 'Reverse proxy',
};

export function wayOf(
  openedWith: string | null,
  providers: readonly { id: string; label: string }[],
): string {
  if (openedWith === null) return '–';
  return WAYS[openedWith] ?? providers.find(({ id }) => id === openedWith)?.label ?? openedWith;
}

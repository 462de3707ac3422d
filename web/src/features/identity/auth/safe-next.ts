/** Where to go after signing in: an address of this house only, whatever the link that led here says. */
export function safeNext(wanted: string | null): string {
  if (!wanted?.startsWith('/') || /^\/[/\\]/.test(wanted)) return '/';
  if (/^\/(sign-in|link)\b/.test(wanted)) return '/';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers drop them and then see another host
  return /[\u0000-\u001f]/.test(wanted) ? '/' : wanted;
}

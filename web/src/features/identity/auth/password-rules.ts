/** What is wrong with a wished password as far as it can be said without the server; null when nothing is. */
export function passwordProblem(password: string, username: string): string | null {
  const length = [...password].length;
  if (length === 0) return 'Type a password.';
  if (length < 12) return `At least 12 characters; this has ${length}.`;
  if (length > 128) return `At most 128 characters; this has ${length}.`;
  if (password.toLowerCase() === username.toLowerCase()) return 'It must not be your user name.';
  return null;
}

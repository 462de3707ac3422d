// Which links of answers lead anywhere: to pages of Matriarch that show something, never to another site, to an operation, or to the
// pages by which people sign in.
const ROOTS =
  /^\/(?:$|\?|(?:servers|clusters|alerts|findings|runway|report|timeline|logs|plan|blackouts|channels|probes|assistants|models|account|admin)(?:[/?]|$))/;
const HERE = 'http://matriarch.invalid';

/** The path; undefined where nothing may be opened. */
export function ownPath(link: string | null | undefined): string | undefined {
  if (!link || link.length > 2000 || !ROOTS.test(link) || !URL.canParse(link, HERE)) return undefined;
  // A browser leaves out line breaks and resolves dots: only what stays as it is written leads where it seems to.
  const { origin, pathname, search, hash } = new URL(link, HERE);
  const isSame =
    origin === HERE && `${pathname}${search}${hash}`.length >= link.length && !/[\s\\]/.test(link);
  return isSame && pathname === link.split(/[?#]/)[0] && !pathname.includes('//') ? link : undefined;
}

// The name of a setting, tool or permission; it may break after an underscore, so that columns can be narrow.
import { Fragment } from 'react';

export function Identifier({ children }: { children: string }) {
  const parts = children.split(/(?<=[_/])/);
  return (
    <code>
      {parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one name never change places
        <Fragment key={at}>
          {at > 0 ? <wbr /> : null}
          {part}
        </Fragment>
      ))}
    </code>
  );
}

// Connections with a level each: those that are granted, with a way to change and take them back, and a search for
// more. Used for groups, where each change is sent at once, and for scopes of tokens, where it is part of a form.
import { NativeSelect, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { CloseIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { RowButton } from '../../../ui/row-button.tsx';
import { EVERY_CONNECTION, isLevel, LEVEL_WORDS, type Level } from '../auth/rights.ts';
import items from './item-list.module.css';
import { Picker } from './picker.tsx';
import type { Grant } from './types.ts';
import { EVERY_NAME, useConnectionNames } from './use-connection-names.ts';

const LEVELS = Object.entries(LEVEL_WORDS).map(([value, label]) => ({ value, label }));

interface GrantRowProps {
  grant: Grant;
  name: string;
  readOnly: boolean;
  onSet: (grant: Grant) => void;
  onRemove: (id: number) => void;
}

function GrantRow({ grant, name, readOnly, onSet, onRemove }: GrantRowProps) {
  const id = grant.connection_id;
  return (
    <li className={items.row}>
      <div className={items.what}>
        <Name>{name}</Name>
        {id === EVERY_CONNECTION ? <div className={layout.remark}>those to come too</div> : null}
      </div>
      {readOnly ? (
        LEVEL_WORDS[grant.access_level]
      ) : (
        <>
          <NativeSelect
            size="xs"
            aria-label={`Level on ${name}`}
            data={LEVELS}
            value={grant.access_level}
            onChange={({ target: { value } }) => {
              if (isLevel(value)) onSet({ connection_id: id, access_level: value });
            }}
          />
          <RowButton verb="Remove" of={name} icon={CloseIcon} variant="subtle" onClick={() => onRemove(id)} />
        </>
      )}
    </li>
  );
}

export interface ConnectionGrantsProps {
  grants: readonly Grant[];
  /** Said where nothing is granted. */
  empty: string;
  verb: string;
  readOnly?: boolean;
  isPending?: boolean;
  onSet: (grant: Grant) => void;
  onRemove: (connectionId: number) => void;
}

export function ConnectionGrants(props: ConnectionGrantsProps) {
  const { grants, readOnly = false, onSet, onRemove } = props;
  const { connections, nameOf } = useConnectionNames();
  const [level, setLevel] = useState<Level>('read');
  const granted = new Set(grants.map((grant) => grant.connection_id));
  const all = [
    { key: String(EVERY_CONNECTION), name: EVERY_NAME, kind: 'those to come too' },
    ...connections.map(({ id, name, host }) => ({ key: String(id), name, kind: host })),
  ];
  return (
    <div className={layout.close}>
      {grants.length === 0 ? (
        <p className={items.empty}>{props.empty}</p>
      ) : (
        <ul className={items.list} aria-label="Servers">
          {grants.map((grant) => (
            <GrantRow
              key={grant.connection_id}
              grant={grant}
              name={nameOf(grant.connection_id)}
              readOnly={readOnly}
              onSet={onSet}
              onRemove={onRemove}
            />
          ))}
        </ul>
      )}
      {readOnly ? null : (
        <Picker
          label="Find a server"
          candidates={all.filter(({ key }) => !granted.has(Number(key)))}
          verb={props.verb}
          empty="Every server is in the list already."
          isPending={props.isPending ?? false}
          onPick={(key) => onSet({ connection_id: Number(key), access_level: level })}
        >
          <SegmentedControl
            size="xs"
            aria-label="Level"
            data={LEVELS}
            value={level}
            onChange={(value) => isLevel(value) && setLevel(value)}
          />
        </Picker>
      )}
    </div>
  );
}

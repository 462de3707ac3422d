// Where else a server is looked at: the entries of its menu.
import { Menu } from '@mantine/core';
import { Link } from 'react-router';
import { blackoutsPath } from '../../alerting/blackouts/blackouts-path.ts';

export const ServerLinks = ({ id }: { id: number }) => (
  <>
    <Menu.Item component={Link} to={`/runway?server=${id}`}>
      Runway
    </Menu.Item>
    <Menu.Item component={Link} to={`/report?server=${id}`}>
      Report
    </Menu.Item>
    <Menu.Item component={Link} to={blackoutsPath(id)}>
      Silences
    </Menu.Item>
  </>
);

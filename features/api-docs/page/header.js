// Runs in the Swagger UI page: replaces its top bar, and shows there who is signed in.
{
  /** Path of the mount: empty for the root. */
  const mount = location.pathname.replace(/\/docs(\/.*)?$/, '')
  const icon = document.querySelector('link[rel="icon"]').href
  const shorten = (wallet) => `${wallet.slice(0, 6)}…${wallet.slice(-4)}`

  const readIdentity = async (token) => {
    const response = await fetch(`${mount}/auth/me`, { headers: { authorization: `Bearer ${token}` } })
    const { data, error } = await response.json()
    return response.ok ? data : { error }
  }

  window.docsPlugins = [
    ({ React, authActions }) => {
      const h = React.createElement

      const signOut = async (token) => {
        authActions.logoutWithPersistOption(['bearer'])
        await fetch(`${mount}/auth/logout`, { method: 'POST', headers: { authorization: `Bearer ${token}` } })
      }

      const Identity = ({ token }) => {
        const [identity, setIdentity] = React.useState({})
        React.useEffect(() => {
          let current = true
          setIdentity({})
          readIdentity(token)
            .catch(({ message }) => ({ error: message }))
            .then((read) => current && setIdentity(read))
          return () => {
            current = false
          }
        }, [token])
        const { wallet, isAdmin, isLabs, error } = identity
        const roles = [isAdmin && 'operator', isLabs && 'labs'].filter(Boolean)
        return h(
          'div',
          { className: `docs-identity${error ? ' failed' : ''}`, role: 'status' },
          error && h('span', null, `Not signed in: ${error}`),
          wallet && h('span', { title: wallet }, 'Signed in as ', h('b', null, shorten(wallet))),
          ...roles.map((role) => h('span', { key: role, className: 'docs-role' }, role)),
          (wallet || error) &&
            h(
              'button',
              { type: 'button', className: 'docs-sign-out', onClick: () => signOut(token) },
              wallet ? 'Sign out' : 'Clear',
            ),
        )
      }

      const Topbar = ({ authSelectors, getComponent }) => {
        const token = authSelectors.authorized()?.getIn(['bearer', 'value'])
        return h(
          'header',
          { className: 'docs-header' },
          h('a', { className: 'docs-brand', href: `${mount}/` }, h('img', { src: icon, alt: '' }), document.title),
          h(
            'nav',
            { 'aria-label': 'Documents' },
            h('a', { href: `${mount}/openapi.yaml` }, 'OpenAPI'),
            h('a', { href: `${mount}/asyncapi.yaml` }, 'AsyncAPI'),
          ),
          token
            ? h(Identity, { token })
            : h('div', { className: 'docs-identity', role: 'status' }, h('span', null, 'Not signed in')),
          h(getComponent('DarkModeToggle')),
        )
      }
      return { components: { Topbar } }
    },
  ]
}

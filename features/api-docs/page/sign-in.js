// Runs in the Swagger UI page: adds a button beside Authorize that signs in with the browser's wallet (EIP-1193).
{
  const post = async (path, body) => {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { data, error } = await response.json()
    if (!response.ok) throw new Error(error)
    return data
  }

  /** Resolves to a token. Rejects with the error of the wallet or the service. */
  const signIn = async (ethereum) => {
    const [wallet] = await ethereum.request({ method: 'eth_requestAccounts' })
    const { message } = await post('/auth/nonce', { wallet })
    const hex = `0x${Array.from(new TextEncoder().encode(message), (byte) => byte.toString(16).padStart(2, '0')).join('')}`
    const signature = await ethereum.request({ method: 'personal_sign', params: [hex, wallet] })
    const { token } = await post('/auth/login', { wallet, message, signature })
    return token
  }

  window.docsPlugins.push(({ React, authActions, specSelectors }) => {
    const authorize = async () => {
      const schema = specSelectors.specJson().getIn(['components', 'securitySchemes', 'bearer'])
      const value = await signIn(window.ethereum)
      authActions.authorize({ bearer: { name: 'bearer', schema, value } })
    }
    const onClick = () => authorize().catch(({ message }) => window.alert(message))
    const button = () => React.createElement('button', { className: 'btn authorize', onClick }, 'Sign in with a wallet')
    return {
      wrapComponents: {
        authorizeBtn: (Authorize) => (props) =>
          React.createElement(
            React.Fragment,
            null,
            window.ethereum && !props.isAuthorized && React.createElement(button),
            React.createElement(Authorize, props),
          ),
      },
    }
  })
}

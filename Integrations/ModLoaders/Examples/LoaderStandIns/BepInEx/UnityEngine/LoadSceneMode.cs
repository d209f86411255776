namespace UnityEngine.SceneManagement;

public enum LoadSceneMode
{
    Single,
    Additive,
}

namespace UnityEngine.Events;

public delegate void UnityAction<T0, T1>(T0 arg0, T1 arg1);
